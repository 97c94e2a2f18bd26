import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class SafeDoorEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.code = draw.randint(10000, 99999)
        return self.question(), {}

    def question(self):
        return "A five-digit code opens the safe. \\boxed{code}"

    def solution(self):
        return str(self.code)

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return f"No, {self.code} would have been right. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
