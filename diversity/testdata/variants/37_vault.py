import random


class VaultMazeEnv:
    """Lead a robot through the vault to the safe. The vault turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=22, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.width = 5
        cells = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.stones = set(draw.sample(cells, 6))
        floor = [c for c in cells if c not in self.stones]
        self.at, self.prize = draw.sample(floor, 2)
        self.moves_made = 0
        return self.report(), {}

    def report(self):
        x, y = self.at
        ways = [d for d, (a, b) in self.DIRS.items() if self.passable((x + a, y + b))]
        return f"You stand at {self.at}. The safe is at {self.prize}. You can go {', '.join(ways)}."

    DIRS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.stones

    def step(self, action):
        # A wall costs a turn.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.DIRS.get(direction, (0, 0))
        there = (self.at[0] + a, self.at[1] + b)
        if self.passable(there):
            self.at = there
        self.moves_made += 1
        if self.at == self.prize:
            return "The safe is yours.", 1.0, True, False, {}
        if self.moves_made % 5 == 0:
            self.stones = {(self.width - 1 - y, x) for x, y in self.stones} - {self.at, self.prize}
        return self.report(), 0.0, False, self.moves_made >= self.max_turns, {}
