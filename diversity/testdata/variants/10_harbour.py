import random


class HarbourMazeEnv:
    """Lead a thief through the harbour to the pier. The harbour turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.size = 8
        spots = [(x, y) for x in range(self.size) for y in range(self.size)]
        self.stones = set(dice.sample(spots, 16))
        empty = [c for c in spots if c not in self.stones]
        self.at, self.target = dice.sample(empty, 2)
        self.steps = 0
        return self.report(), {}

    def report(self):
        x, y = self.at
        ways = [d for d, (a, b) in self.STEPS.items() if self.passable((x + a, y + b))]
        return f"Your place is {self.at}. The pier is at {self.target}. Open ways: {', '.join(ways)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.size and cell not in self.stones

    def step(self, action):
        # A wall costs a turn.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(way, (0, 0))
        there = (self.at[0] + a, self.at[1] + b)
        if self.passable(there):
            self.at = there
        self.steps += 1
        if self.at == self.target:
            return "The pier is yours.", 1.0, True, False, {}
        if self.steps % 4 == 0:
            self.stones = {(self.size - 1 - y, x) for x, y in self.stones} - {self.at, self.target}
        return self.report(), 0.0, False, self.steps >= self.max_turns, {}
