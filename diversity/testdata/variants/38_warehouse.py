import random


class WarehouseMazeEnv:
    """Lead a diver through the warehouse to the pallet. The warehouse turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.size = 8
        squares = [(x, y) for x in range(self.size) for y in range(self.size)]
        self.stones = set(rng.sample(squares, 16))
        empty = [c for c in squares if c not in self.stones]
        self.here, self.target = rng.sample(empty, 2)
        self.t = 0
        return self.view(), {}

    def view(self):
        x, y = self.here
        options = [d for d, (a, b) in self.STEPS.items() if self.can_enter((x + a, y + b))]
        return f"Your place is {self.here}. The pallet is at {self.target}. You can go {', '.join(options)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.size and cell not in self.stones

    def step(self, action):
        # Walk if the way is free.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(way, (0, 0))
        new = (self.here[0] + a, self.here[1] + b)
        if self.can_enter(new):
            self.here = new
        self.t += 1
        if self.here == self.target:
            return "The pallet is yours.", 1.0, True, False, {}
        if self.t % 4 == 0:
            self.stones = {(self.size - 1 - y, x) for x, y in self.stones} - {self.here, self.target}
        return self.view(), 0.0, False, self.t >= self.max_turns, {}
