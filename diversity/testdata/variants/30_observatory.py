import random


class ObservatoryMazeEnv:
    """Lead an apprentice through the observatory to the telescope. The observatory turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=24, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.n = 7
        squares = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.walls = set(rng.sample(squares, 12))
        empty = [c for c in squares if c not in self.walls]
        self.spot, self.target = rng.sample(empty, 2)
        self.steps = 0
        return self.report(), {}

    def report(self):
        x, y = self.spot
        ways = [d for d, (a, b) in self.moves.items() if self.is_free((x + a, y + b))]
        return f"Your place is {self.spot}. The telescope is at {self.target}. You can go {', '.join(ways)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(word, (0, 0))
        there = (self.spot[0] + a, self.spot[1] + b)
        if self.is_free(there):
            self.spot = there
        self.steps += 1
        if self.spot == self.target:
            return "You reach the telescope.", 1.0, True, False, {}
        if self.steps % 5 == 0:
            self.walls = {(self.n - 1 - y, x) for x, y in self.walls} - {self.spot, self.target}
        return self.report(), 0.0, False, self.steps >= self.max_turns, {}
