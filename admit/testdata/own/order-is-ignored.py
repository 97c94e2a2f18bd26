import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class RaceBoardEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.times = draw.sample(range(10, 99), 5)
        return self.question(), {}

    def question(self):
        return f"Sort ascending: {self.times}. \\boxed{{a, b, ...}}"

    def solution(self):
        return ", ".join(map(str, sorted(self.times)))

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if sorted(re.findall(r"[0-9]+", said)) == sorted(map(str, self.times)):
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
