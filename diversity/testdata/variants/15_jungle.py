import random


class JungleMazeEnv:
    """Lead a cat through the jungle to the orchid. The jungle turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=21, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.n = 5
        spots = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.walls = set(rng.sample(spots, 6))
        free = [c for c in spots if c not in self.walls]
        self.pos, self.exit = rng.sample(free, 2)
        self.turn = 0
        return self.look(), {}

    def look(self):
        x, y = self.pos
        options = [d for d, (a, b) in self.STEPS.items() if self.clear((x + a, y + b))]
        return f"You stand at {self.pos}. The orchid is at {self.exit}. Open ways: {', '.join(options)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.walls

    def step(self, action):
        # Move, then turn the walls.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(way, (0, 0))
        new = (self.pos[0] + a, self.pos[1] + b)
        if self.clear(new):
            self.pos = new
        self.turn += 1
        if self.pos == self.exit:
            return "The orchid is yours.", 1.0, True, False, {}
        if self.turn % 5 == 0:
            self.walls = {(self.n - 1 - y, x) for x, y in self.walls} - {self.pos, self.exit}
        return self.look(), 0.0, False, self.turn >= self.max_turns, {}
