import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class GuestListEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.guests = draw.sample(["Ada", "Bo", "Cy", "Di", "Ed", "Flo", "Gus", "Hal"], 6)
        return self.question(), {}

    def question(self):
        return f"Guests: {self.guests}. Which three come first in the alphabet, in any order? \\boxed{{a, b, c}}"

    def solution(self):
        return ", ".join(sorted(self.guests)[:3])

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if sorted(x.strip() for x in said.split(",")) == sorted(self.guests)[:3]:
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
