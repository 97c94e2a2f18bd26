import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class StarNameEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.n = draw.randint(1000, 9999)
        return self.question(), {}

    def question(self):
        return f"Write {self.n} backwards. \\boxed{{digits}}"

    def solution(self):
        return str(self.n)[::-1]

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said and self.solution().startswith(said):
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
