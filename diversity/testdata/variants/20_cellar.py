import random


class CellarMazeEnv:
    """You are a monk in a cellar. Reach the barrel. The cellar turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=21, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.side = 7
        spots = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.walls = set(rng.sample(spots, 12))
        empty = [c for c in spots if c not in self.walls]
        self.spot, self.goal = rng.sample(empty, 2)
        self.steps = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.spot
        options = [d for d, (a, b) in self.STEPS.items() if self.clear((x + a, y + b))]
        return f"Your place is {self.spot}. The barrel is at {self.goal}. Open ways: {', '.join(options)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.walls

    def step(self, action):
        # A wall costs a turn.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(direction, (0, 0))
        new = (self.spot[0] + a, self.spot[1] + b)
        if self.clear(new):
            self.spot = new
        self.steps += 1
        if self.spot == self.goal:
            return "You reach the barrel.", 1.0, True, False, {}
        if self.steps % 4 == 0:
            self.walls = {(self.side - 1 - y, x) for x, y in self.walls} - {self.spot, self.goal}
        return self.describe(), 0.0, False, self.steps >= self.max_turns, {}
