import random

class BracketRepairEnv:
    """A line of nested brackets lost its tail. Give the closing brackets that are missing, in order."""
    PAIRS = {"(": ")", "[": "]", "{": "}", "<": ">"}
    def reset(self, seed=None):
        rng, self.open, text = random.Random(seed), [], ""
        while len(self.open) < 6:
            if self.open and rng.random() < 0.35:
                text += self.PAIRS[self.open.pop()]
            else:
                self.open.append(rng.choice("([<"))
                text += self.open[-1]
        return "Close this: " + text, {}
    def solution(self):
        return "".join(self.PAIRS[b] for b in reversed(self.open))
    def step(self, action):
        won = action == "\\boxed{" + self.solution() + "}"
        return ("Balanced." if won else "Still crooked."), float(won), True, False, {}
