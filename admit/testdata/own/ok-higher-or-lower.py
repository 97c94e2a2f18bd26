import random
import re


class WellDepthEnv:
    def __init__(self, max_turns=12, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        self.depth = random.Random(seed).randint(1, 1000)
        self.low, self.high, self.turn = 1, 1000, 0
        return "How deep is the well, from 1 to 1000 m? You hear deeper or shallower. \\boxed{n}", {}

    def solution(self):
        return str((self.low + self.high) // 2)

    def step(self, action):
        self.turn += 1
        found = re.search(r"\\boxed\{\s*(\d{1,6})\s*\}", action)
        if not found:
            return "A whole number, please.", 0.0, False, self.turn >= self.max_turns, {}
        guess = int(found.group(1))
        if guess == self.depth:
            return "Exactly.", 1.0, True, False, {}
        if guess < self.depth:
            self.low = max(self.low, guess + 1)
        else:
            self.high = min(self.high, guess - 1)
        text = "Deeper." if guess < self.depth else "Shallower."
        return text, 0.0, False, self.turn >= self.max_turns, {}
