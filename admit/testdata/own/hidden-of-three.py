import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class CupTrickEnv:
    def __init__(self, max_turns=1, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.cup = draw.choice(["left", "middle", "right"])
        return self.question(), {}

    def question(self):
        return "The pea is under one cup: left, middle or right. \\boxed{cup}"

    def solution(self):
        return self.cup

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.cup:
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
