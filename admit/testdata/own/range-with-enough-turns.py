import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class LockerEnv:
    def __init__(self, max_turns=10, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.digit = draw.randint(1, 8)
        return self.question(), {}

    def question(self):
        return "The locker takes a number between 1 and 8. \\boxed{n}"

    def solution(self):
        return str(self.digit)

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
