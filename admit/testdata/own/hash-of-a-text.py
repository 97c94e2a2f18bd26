import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class BookShelfEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.word = draw.choice(["atlas", "novel", "diary", "ledger", "primer"])
        self.shelf = hash(self.word) % 97
        return self.question(), {}

    def question(self):
        return f"{self.word} stands {self.shelf} places from the left of 97. How many from the right? \\boxed{{n}}"

    def solution(self):
        return str(97 - self.shelf)

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
