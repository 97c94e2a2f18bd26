import random


class HangarMazeEnv:
    """You are a cat in a hangar. Reach the lift. The hangar turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=16, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.width = 6
        cells = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.walls = set(draw.sample(cells, 9))
        empty = [c for c in cells if c not in self.walls]
        self.at, self.target = draw.sample(empty, 2)
        self.turn = 0
        return self.report(), {}

    def report(self):
        x, y = self.at
        options = [d for d, (a, b) in self.WAYS.items() if self.clear((x + a, y + b))]
        return f"You stand at {self.at}. The lift is at {self.target}. You can go {', '.join(options)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(move, (0, 0))
        there = (self.at[0] + a, self.at[1] + b)
        if self.clear(there):
            self.at = there
        self.turn += 1
        if self.at == self.target:
            return "The lift is yours.", 1.0, True, False, {}
        if self.turn % 6 == 0:
            self.walls = {(self.width - 1 - y, x) for x, y in self.walls} - {self.at, self.target}
        return self.report(), 0.0, False, self.turn >= self.max_turns, {}
