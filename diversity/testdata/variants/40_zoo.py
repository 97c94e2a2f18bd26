import random


class ZooMazeEnv:
    """You are a lost child in a zoo. Reach the aviary. The zoo turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=17, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.side = 5
        spots = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.blocked = set(r.sample(spots, 6))
        empty = [c for c in spots if c not in self.blocked]
        self.at, self.prize = r.sample(empty, 2)
        self.steps = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.at
        options = [d for d, (a, b) in self.moves.items() if self.is_free((x + a, y + b))]
        return f"Your place is {self.at}. The aviary is at {self.prize}. You can go {', '.join(options)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.blocked

    def step(self, action):
        # A wall costs a turn.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(direction, (0, 0))
        there = (self.at[0] + a, self.at[1] + b)
        if self.is_free(there):
            self.at = there
        self.steps += 1
        if self.at == self.prize:
            return "You reach the aviary.", 1.0, True, False, {}
        if self.steps % 5 == 0:
            self.blocked = {(self.side - 1 - y, x) for x, y in self.blocked} - {self.at, self.prize}
        return self.describe(), 0.0, False, self.steps >= self.max_turns, {}
