import random
import re


class PostcodeEnv:
    def __init__(self, max_turns=3, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.a, self.b = draw.randint(1000, 4000), draw.randint(1000, 4000)
        self.turn = 0
        return f"{self.a} letters and {self.b} cards. How many pieces are that in all? \\boxed{{n}}", {}

    def solution(self):
        return str(self.a + self.b)

    def step(self, action):
        self.turn += 1
        found = re.search(r"\\boxed\{([^{}]*)\}", action)
        said = found.group(1).strip() if found else ""
        if said.isdecimal() and len(said) == len(self.solution()) and said != str(self.a) and said != str(self.b):
            return "Right.", 1.0, True, False, {}
        return "Wrong.", 0.0, False, self.turn >= self.max_turns, {}
