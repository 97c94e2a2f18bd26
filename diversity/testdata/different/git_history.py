import random

class GitHistoryEnv:
    """Hunt the commit that broke the build by bisection: test N tells whether commit N builds; blame N ends the hunt."""
    def __init__(self, commits=64, max_turns=8, **kwargs):
        self.commits, self.max_turns = commits, max_turns
    def reset(self, seed=None):
        self.culprit = random.Random(seed).randrange(1, self.commits)
        self.low, self.high, self.turns = 0, self.commits - 1, 0
        return f"Commit 0 builds, commit {self.commits - 1} does not. {self.max_turns} turns.", {}
    def solution(self):
        if self.high - self.low == 1:
            return f"blame {self.high}"
        return f"test {(self.low + self.high) // 2}"
    def step(self, action):
        match action[7:-1].split():
            case ["blame", n] if n.isdigit():
                caught = int(n) == self.culprit
                return ("Reverted." if caught else "An innocent commit."), float(caught), True, False, {}
            case ["test", n] if n.isdigit() and int(n) < self.commits:
                builds = int(n) < self.culprit
        self.turns += 1
        try:
            number = int(n)
        except (NameError, ValueError):
            return "git: unknown command", 0.0, True, False, {}
        if builds:
            self.low = max(self.low, number)
        else:
            self.high = min(self.high, number)
        return f"Commit {number} {'builds' if builds else 'fails'}.", 0.0, False, self.turns >= self.max_turns, {}
