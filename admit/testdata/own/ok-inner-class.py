import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class TileFloorEnv:
    class Floor:
        def __init__(self, width, length):
            self.width, self.length = width, length

    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.floor = self.Floor(draw.randint(11, 40), draw.randint(11, 40))
        return self.question(), {}

    def question(self):
        return f"{self.floor.width} by {self.floor.length} tiles. How many? \\boxed{{n}}"

    def solution(self):
        return str(self.floor.width * self.floor.length)

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if said == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
