import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class SignpostEnv:
    def __init__(self, max_turns=1, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.a, self.b = draw.sample(["Bern", "Oslo", "Riga", "Lima", "Cairo", "Quito"], 2)
        return self.question(), {}

    def question(self):
        return f"Which comes first in the alphabet, {self.a} or {self.b}? \\boxed{{town}}"

    def solution(self):
        return min(self.a, self.b)

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said.lower() == self.solution().lower():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
