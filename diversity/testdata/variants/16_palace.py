import random


class PalaceMazeEnv:
    """You are a guard in a palace. Reach the throne. The palace turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=16, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.side = 8
        rooms = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.blocked = set(dice.sample(rooms, 16))
        empty = [c for c in rooms if c not in self.blocked]
        self.here, self.prize = dice.sample(empty, 2)
        self.t = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.here
        free_dirs = [d for d, (a, b) in self.DIRS.items() if self.passable((x + a, y + b))]
        return f"Your place is {self.here}. The throne is at {self.prize}. You can go {', '.join(free_dirs)}."

    DIRS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.blocked

    def step(self, action):
        # Move, then turn the walls.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.DIRS.get(way, (0, 0))
        new = (self.here[0] + a, self.here[1] + b)
        if self.passable(new):
            self.here = new
        self.t += 1
        if self.here == self.prize:
            return "You reach the throne.", 1.0, True, False, {}
        if self.t % 5 == 0:
            self.blocked = {(self.side - 1 - y, x) for x, y in self.blocked} - {self.here, self.prize}
        return self.describe(), 0.0, False, self.t >= self.max_turns, {}
