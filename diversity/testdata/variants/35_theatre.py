import random


class TheatreMazeEnv:
    """Lead an apprentice through the theatre to the curtain. The theatre turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=16, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.side = 7
        spots = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.rubble = set(r.sample(spots, 12))
        empty = [c for c in spots if c not in self.rubble]
        self.at, self.goal = r.sample(empty, 2)
        self.t = 0
        return self.view(), {}

    def view(self):
        x, y = self.at
        ways = [d for d, (a, b) in self.moves.items() if self.can_enter((x + a, y + b))]
        return f"Your place is {self.at}. The curtain is at {self.goal}. You can go {', '.join(ways)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.rubble

    def step(self, action):
        # A wall costs a turn.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(word, (0, 0))
        there = (self.at[0] + a, self.at[1] + b)
        if self.can_enter(there):
            self.at = there
        self.t += 1
        if self.at == self.goal:
            return "You reach the curtain.", 1.0, True, False, {}
        if self.t % 5 == 0:
            self.rubble = {(self.side - 1 - y, x) for x, y in self.rubble} - {self.at, self.goal}
        return self.view(), 0.0, False, self.t >= self.max_turns, {}
