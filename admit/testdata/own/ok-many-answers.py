import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class BridgeLoadEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.low = draw.randint(20, 80)
        self.high = self.low + draw.randint(30, 50)
        return self.question(), {}

    def question(self):
        return f"Name a multiple of 9 between {self.low} and {self.high}. \\boxed{{n}}"

    def solution(self):
        return str(self.low // 9 * 9 + 9)

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said.isdigit() and int(said) % 9 == 0 and self.low < int(said) < self.high:
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
