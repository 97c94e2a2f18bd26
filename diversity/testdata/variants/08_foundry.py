import random


class FoundryMazeEnv:
    """Lead a cat through the foundry to the anvil. The foundry turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=22, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.n = 7
        spots = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.walls = set(dice.sample(spots, 12))
        free = [c for c in spots if c not in self.walls]
        self.pos, self.target = dice.sample(free, 2)
        self.turn = 0
        return self.report(), {}

    def report(self):
        x, y = self.pos
        free_dirs = [d for d, (a, b) in self.moves.items() if self.clear((x + a, y + b))]
        return f"Your place is {self.pos}. The anvil is at {self.target}. You can go {', '.join(free_dirs)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(direction, (0, 0))
        new = (self.pos[0] + a, self.pos[1] + b)
        if self.clear(new):
            self.pos = new
        self.turn += 1
        if self.pos == self.target:
            return "You reach the anvil.", 1.0, True, False, {}
        if self.turn % 4 == 0:
            self.walls = {(self.n - 1 - y, x) for x, y in self.walls} - {self.pos, self.target}
        return self.report(), 0.0, False, self.turn >= self.max_turns, {}
