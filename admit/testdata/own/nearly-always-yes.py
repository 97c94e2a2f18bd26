import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class AlarmCheckEnv:
    def __init__(self, max_turns=1, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.level = draw.randint(1, 400)
        return self.question(), {}

    def question(self):
        return f"Is {self.level} below 397? \\boxed{{yes}} or \\boxed{{no}}"

    def solution(self):
        return "yes" if self.level < 397 else "no"

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
