import random


class PrisonMazeEnv:
    """Lead a thief through the prison to the gallows. The prison turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=19, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.width = 8
        spots = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.walls = set(rng.sample(spots, 16))
        free = [c for c in spots if c not in self.walls]
        self.here, self.target = rng.sample(free, 2)
        self.turn = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.here
        ways = [d for d, (a, b) in self.moves.items() if self.passable((x + a, y + b))]
        return f"You stand at {self.here}. The gallows is at {self.target}. You can go {', '.join(ways)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(move, (0, 0))
        ahead = (self.here[0] + a, self.here[1] + b)
        if self.passable(ahead):
            self.here = ahead
        self.turn += 1
        if self.here == self.target:
            return "The gallows is yours.", 1.0, True, False, {}
        if self.turn % 6 == 0:
            self.walls = {(self.width - 1 - y, x) for x, y in self.walls} - {self.here, self.target}
        return self.describe(), 0.0, False, self.turn >= self.max_turns, {}
