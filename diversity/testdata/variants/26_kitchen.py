import random


class KitchenMazeEnv:
    """You are a cat in a kitchen. Reach the stove. The kitchen turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.size = 6
        spots = [(x, y) for x in range(self.size) for y in range(self.size)]
        self.stones = set(dice.sample(spots, 9))
        free = [c for c in spots if c not in self.stones]
        self.pos, self.prize = dice.sample(free, 2)
        self.turn = 0
        return self.report(), {}

    def report(self):
        x, y = self.pos
        options = [d for d, (a, b) in self.DIRS.items() if self.passable((x + a, y + b))]
        return f"Your place is {self.pos}. The stove is at {self.prize}. Open ways: {', '.join(options)}."

    DIRS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.size and cell not in self.stones

    def step(self, action):
        # Anything else stands still.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.DIRS.get(move, (0, 0))
        there = (self.pos[0] + a, self.pos[1] + b)
        if self.passable(there):
            self.pos = there
        self.turn += 1
        if self.pos == self.prize:
            return "You reach the stove.", 1.0, True, False, {}
        if self.turn % 4 == 0:
            self.stones = {(self.size - 1 - y, x) for x, y in self.stones} - {self.pos, self.prize}
        return self.report(), 0.0, False, self.turn >= self.max_turns, {}
