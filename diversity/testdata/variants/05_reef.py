import random


class ReefMazeEnv:
    """You are a courier in a reef. Reach the pearl. The reef turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=20, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.width = 7
        spots = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.walls = set(rng.sample(spots, 12))
        free = [c for c in spots if c not in self.walls]
        self.here, self.exit = rng.sample(free, 2)
        self.moves_made = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.here
        options = [d for d, (a, b) in self.WAYS.items() if self.passable((x + a, y + b))]
        return f"Your place is {self.here}. The pearl is at {self.exit}. You can go {', '.join(options)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.walls

    def step(self, action):
        # Move, then turn the walls.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(move, (0, 0))
        there = (self.here[0] + a, self.here[1] + b)
        if self.passable(there):
            self.here = there
        self.moves_made += 1
        if self.here == self.exit:
            return "You reach the pearl.", 1.0, True, False, {}
        if self.moves_made % 6 == 0:
            self.walls = {(self.width - 1 - y, x) for x, y in self.walls} - {self.here, self.exit}
        return self.describe(), 0.0, False, self.moves_made >= self.max_turns, {}
