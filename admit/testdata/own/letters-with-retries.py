import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class QuizNightEnv:
    def __init__(self, max_turns=6, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.a, self.b = draw.randint(12, 60), draw.randint(12, 60)
        self.right = draw.choice("ABCD")
        self.values = {letter: self.a * self.b + i for i, letter in enumerate("ABCD", start=1)}
        self.values[self.right] = self.a * self.b
        return self.question(), {}

    def question(self):
        return f"{self.a} x {self.b}? " + " ".join(f"{k}) {v}" for k, v in self.values.items()) + " \\boxed{letter}"

    def solution(self):
        return self.right

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.right:
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
