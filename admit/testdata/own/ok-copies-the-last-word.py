import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class EchoHallEnv:
    def __init__(self, max_turns=1, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.words = draw.sample(["oak", "elm", "fir", "ash", "yew", "box"], 3)
        return self.question(), {}

    def question(self):
        return "Pile: " + " ".join(self.words) + ". Which lies on top, the last one? \\boxed{word}"

    def solution(self):
        return self.words[-1]

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
