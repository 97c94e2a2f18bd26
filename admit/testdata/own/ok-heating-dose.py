import random
import re


class GlazeOvenEnv:
    """A control task: several doses win, and the readings differ little between seeds."""

    def __init__(self, max_turns=8, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.heat, self.turn = draw.randint(180, 220), 0
        self.goal = draw.randint(700, 900)
        self.gain = draw.choice([2, 3, 4])
        return f"The oven is at {self.heat} degrees; bring it within 10 of {self.goal}. \\boxed{{heat n}} burns n logs.", {}

    def solution(self):
        return f"heat {max(1, round((self.goal - self.heat) / self.gain))}"

    def step(self, action):
        self.turn += 1
        found = re.search(r"heat\s+(\d{1,4})", action)
        if found:
            self.heat += self.gain * int(found.group(1))
        if abs(self.heat - self.goal) <= 10:
            return "The glaze melts.", 1.0, True, False, {}
        if self.heat > self.goal + 10:
            return "The glaze burns.", -1.0, True, False, {}
        return f"{self.heat} degrees.", 0.0, False, self.turn >= self.max_turns, {}
