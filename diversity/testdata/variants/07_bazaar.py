import random


class BazaarMazeEnv:
    """Lead a guard through the bazaar to the spice. The bazaar turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.size = 6
        cells = [(x, y) for x in range(self.size) for y in range(self.size)]
        self.walls = set(dice.sample(cells, 9))
        empty = [c for c in cells if c not in self.walls]
        self.here, self.target = dice.sample(empty, 2)
        self.steps = 0
        return self.look(), {}

    def look(self):
        x, y = self.here
        ways = [d for d, (a, b) in self.WAYS.items() if self.clear((x + a, y + b))]
        return f"You stand at {self.here}. The spice is at {self.target}. You can go {', '.join(ways)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.size and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(move, (0, 0))
        there = (self.here[0] + a, self.here[1] + b)
        if self.clear(there):
            self.here = there
        self.steps += 1
        if self.here == self.target:
            return "The spice is yours.", 1.0, True, False, {}
        if self.steps % 3 == 0:
            self.walls = {(self.size - 1 - y, x) for x, y in self.walls} - {self.here, self.target}
        return self.look(), 0.0, False, self.steps >= self.max_turns, {}
