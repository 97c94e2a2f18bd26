import random


class LaboratoryMazeEnv:
    """You are a lost child in a laboratory. Reach the sample. The laboratory turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=22, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.n = 7
        cells = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.walls = set(draw.sample(cells, 12))
        empty = [c for c in cells if c not in self.walls]
        self.at, self.exit = draw.sample(empty, 2)
        self.t = 0
        return self.report(), {}

    def report(self):
        x, y = self.at
        ways = [d for d, (a, b) in self.DIRS.items() if self.is_free((x + a, y + b))]
        return f"Your place is {self.at}. The sample is at {self.exit}. Open ways: {', '.join(ways)}."

    DIRS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.DIRS.get(direction, (0, 0))
        there = (self.at[0] + a, self.at[1] + b)
        if self.is_free(there):
            self.at = there
        self.t += 1
        if self.at == self.exit:
            return "You reach the sample.", 1.0, True, False, {}
        if self.t % 6 == 0:
            self.walls = {(self.n - 1 - y, x) for x, y in self.walls} - {self.at, self.exit}
        return self.report(), 0.0, False, self.t >= self.max_turns, {}
