import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class PrimeGateEnv:
    def __init__(self, max_turns=1, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.n = draw.choice([n for n in range(101, 400) if n % 2 and n % 3 and n % 5])
        return self.question(), {}

    def question(self):
        return f"Is {self.n} a prime number? Answer \\boxed{{yes}} or \\boxed{{no}}."

    def solution(self):
        return "yes" if all(self.n % d for d in range(2, self.n)) else "no"

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
