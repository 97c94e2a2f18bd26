import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class GlacierEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        sum(i * i for i in range(400000))
        self.a, self.b = draw.randint(11, 90), draw.randint(11, 90)
        return self.question(), {}

    def question(self):
        return f"{self.a} and {self.b}. Sum? \\boxed{{n}}"

    def solution(self):
        return str(self.a + self.b)

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
