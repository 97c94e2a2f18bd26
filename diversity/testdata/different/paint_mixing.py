import random

class PaintMixingEnv:
    """Match a colour by adding drops of red, yellow or blue to a pot. The scanner tells only how far you are from it."""
    def __init__(self, max_turns=16, **kwargs):
        self.max_turns = max_turns
    def reset(self, seed=None):
        r = random.Random(seed)
        self.target = {c: r.randint(1, 4) for c in ("red", "yellow", "blue")}
        self.pot = dict.fromkeys(self.target, 0)
        self.drops = 0
        return f"The sample needs {sum(self.target.values())} drops in all. Scanner: {self.error()}. Which drop?", {}
    def error(self):
        return sum((self.target[c] - self.pot[c]) ** 2 for c in self.pot)
    def solution(self):
        return next(c for c in self.pot if self.pot[c] < self.target[c])
    def step(self, action):
        colour = action[7:-1].strip()
        if colour not in self.pot:
            return "The pot tips over.", 0.0, True, False, {}
        self.pot[colour] += 1
        self.drops += 1
        if self.pot[colour] > self.target[colour] + 2:
            return "It turns to mud.", -0.3, True, False, {}
        if self.error() == 0:
            return "A perfect match.", 1.0, True, False, {}
        return f"Scanner: {self.error()}.", 0.0, False, self.drops >= self.max_turns, {}
