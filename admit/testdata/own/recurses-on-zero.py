import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class CaveDepthEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.n = draw.randint(5, 20)
        return self.question(), {}

    def question(self):
        return f"How many steps does it take from {self.n} down to 0 in halves? \\boxed{{n}}"

    def solution(self):
        return str(self.halve(self.n))

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said.lstrip("-").isdigit() and self.halve(int(said) or -1) >= 0 and said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}

    def halve(self, n):
        return 0 if n == 0 else 1 + self.halve(n // 2)
