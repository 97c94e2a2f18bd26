import random


class MansionMazeEnv:
    """You are a robot in a mansion. Reach the attic. The mansion turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=19, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.n = 6
        spots = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.stones = set(r.sample(spots, 9))
        empty = [c for c in spots if c not in self.stones]
        self.pos, self.target = r.sample(empty, 2)
        self.turn = 0
        return self.report(), {}

    def report(self):
        x, y = self.pos
        options = [d for d, (a, b) in self.DIRS.items() if self.is_free((x + a, y + b))]
        return f"You stand at {self.pos}. The attic is at {self.target}. Open ways: {', '.join(options)}."

    DIRS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.stones

    def step(self, action):
        # Walk if the way is free.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.DIRS.get(move, (0, 0))
        there = (self.pos[0] + a, self.pos[1] + b)
        if self.is_free(there):
            self.pos = there
        self.turn += 1
        if self.pos == self.target:
            return "The attic is yours.", 1.0, True, False, {}
        if self.turn % 6 == 0:
            self.stones = {(self.n - 1 - y, x) for x, y in self.stones} - {self.pos, self.target}
        return self.report(), 0.0, False, self.turn >= self.max_turns, {}
