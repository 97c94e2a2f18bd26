import random


class CryptMazeEnv:
    """You are a diver in a crypt. Reach the altar. The crypt turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=17, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.side = 8
        rooms = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.stones = set(rng.sample(rooms, 16))
        empty = [c for c in rooms if c not in self.stones]
        self.spot, self.exit = rng.sample(empty, 2)
        self.turn = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.spot
        ways = [d for d, (a, b) in self.STEPS.items() if self.is_free((x + a, y + b))]
        return f"Your place is {self.spot}. The altar is at {self.exit}. Open ways: {', '.join(ways)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.stones

    def step(self, action):
        # Walk if the way is free.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(way, (0, 0))
        ahead = (self.spot[0] + a, self.spot[1] + b)
        if self.is_free(ahead):
            self.spot = ahead
        self.turn += 1
        if self.spot == self.exit:
            return "You reach the altar.", 1.0, True, False, {}
        if self.turn % 5 == 0:
            self.stones = {(self.side - 1 - y, x) for x, y in self.stones} - {self.spot, self.exit}
        return self.describe(), 0.0, False, self.turn >= self.max_turns, {}
