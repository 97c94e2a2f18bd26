import random


class LibraryMazeEnv:
    """You are a courier in a library. Reach the atlas. The library turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=18, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.n = 7
        spots = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.blocked = set(r.sample(spots, 12))
        floor = [c for c in spots if c not in self.blocked]
        self.pos, self.target = r.sample(floor, 2)
        self.steps = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.pos
        free_dirs = [d for d, (a, b) in self.STEPS.items() if self.passable((x + a, y + b))]
        return f"Your place is {self.pos}. The atlas is at {self.target}. Open ways: {', '.join(free_dirs)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.blocked

    def step(self, action):
        # Walk if the way is free.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(move, (0, 0))
        ahead = (self.pos[0] + a, self.pos[1] + b)
        if self.passable(ahead):
            self.pos = ahead
        self.steps += 1
        if self.pos == self.target:
            return "The atlas is yours.", 1.0, True, False, {}
        if self.steps % 5 == 0:
            self.blocked = {(self.n - 1 - y, x) for x, y in self.blocked} - {self.pos, self.target}
        return self.describe(), 0.0, False, self.steps >= self.max_turns, {}
