import random


class GardenMazeEnv:
    """You are a courier in a garden. Reach the fountain. The garden turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=23, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.side = 5
        rooms = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.stones = set(rng.sample(rooms, 6))
        floor = [c for c in rooms if c not in self.stones]
        self.at, self.target = rng.sample(floor, 2)
        self.turn = 0
        return self.view(), {}

    def view(self):
        x, y = self.at
        ways = [d for d, (a, b) in self.WAYS.items() if self.passable((x + a, y + b))]
        return f"You stand at {self.at}. The fountain is at {self.target}. Open ways: {', '.join(ways)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.stones

    def step(self, action):
        # Anything else stands still.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(direction, (0, 0))
        there = (self.at[0] + a, self.at[1] + b)
        if self.passable(there):
            self.at = there
        self.turn += 1
        if self.at == self.target:
            return "The fountain is yours.", 1.0, True, False, {}
        if self.turn % 3 == 0:
            self.stones = {(self.side - 1 - y, x) for x, y in self.stones} - {self.at, self.target}
        return self.view(), 0.0, False, self.turn >= self.max_turns, {}
