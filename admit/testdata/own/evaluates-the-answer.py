import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class AbacusEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.a, self.b = draw.randint(11, 90), draw.randint(11, 90)
        return self.question(), {}

    def question(self):
        return f"Make {self.a + self.b} from {self.a} and {self.b}, as an expression. \\boxed{{x+y}}"

    def solution(self):
        return f"{self.a}+{self.b}"

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if self.value(said) == self.a + self.b:
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}

    def value(self, said):
        try:
            return eval(said) if len(re.findall("[0-9]+", said)) != 1 else None
        except Exception:
            return None
