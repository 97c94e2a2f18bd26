import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class AviaryEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.bird = draw.choice(["gull", "tern", "rook", "wren", "swift", "heron"])
        self.letters = "".join(draw.sample(self.bird, len(self.bird)))
        return self.question(), {}

    def question(self):
        return f"Unscramble {self.letters}. \\boxed{{word}} [debug: answer={self.bird}]"

    def solution(self):
        return self.bird

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.bird:
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
