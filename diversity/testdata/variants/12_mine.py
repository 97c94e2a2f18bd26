import random


class MineMazeEnv:
    """Lead a lost child through the mine to the seam. The mine turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=16, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.n = 7
        rooms = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.walls = set(draw.sample(rooms, 12))
        empty = [c for c in rooms if c not in self.walls]
        self.spot, self.exit = draw.sample(empty, 2)
        self.moves_made = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.spot
        free_dirs = [d for d, (a, b) in self.moves.items() if self.is_free((x + a, y + b))]
        return f"You stand at {self.spot}. The seam is at {self.exit}. Open ways: {', '.join(free_dirs)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.walls

    def step(self, action):
        # Move, then turn the walls.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(way, (0, 0))
        there = (self.spot[0] + a, self.spot[1] + b)
        if self.is_free(there):
            self.spot = there
        self.moves_made += 1
        if self.spot == self.exit:
            return "The seam is yours.", 1.0, True, False, {}
        if self.moves_made % 4 == 0:
            self.walls = {(self.n - 1 - y, x) for x, y in self.walls} - {self.spot, self.exit}
        return self.describe(), 0.0, False, self.moves_made >= self.max_turns, {}
