import random


class SchoolMazeEnv:
    """You are an apprentice in a school. Reach the desk. The school turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=24, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.n = 7
        cells = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.stones = set(rng.sample(cells, 12))
        empty = [c for c in cells if c not in self.stones]
        self.here, self.prize = rng.sample(empty, 2)
        self.t = 0
        return self.view(), {}

    def view(self):
        x, y = self.here
        ways = [d for d, (a, b) in self.moves.items() if self.is_free((x + a, y + b))]
        return f"You stand at {self.here}. The desk is at {self.prize}. Open ways: {', '.join(ways)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.stones

    def step(self, action):
        # Walk if the way is free.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(way, (0, 0))
        new = (self.here[0] + a, self.here[1] + b)
        if self.is_free(new):
            self.here = new
        self.t += 1
        if self.here == self.prize:
            return "The desk is yours.", 1.0, True, False, {}
        if self.t % 4 == 0:
            self.stones = {(self.n - 1 - y, x) for x, y in self.stones} - {self.here, self.prize}
        return self.view(), 0.0, False, self.t >= self.max_turns, {}
