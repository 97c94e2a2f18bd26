import random


class AbbeyMazeEnv:
    """Lead a thief through the abbey to the gate. The abbey turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=16, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.side = 5
        spots = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.rubble = set(rng.sample(spots, 6))
        empty = [c for c in spots if c not in self.rubble]
        self.pos, self.goal = rng.sample(empty, 2)
        self.turn = 0
        return self.report(), {}

    def report(self):
        x, y = self.pos
        options = [d for d, (a, b) in self.WAYS.items() if self.can_enter((x + a, y + b))]
        return f"Your place is {self.pos}. The gate is at {self.goal}. Open ways: {', '.join(options)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.rubble

    def step(self, action):
        # A wall costs a turn.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(direction, (0, 0))
        ahead = (self.pos[0] + a, self.pos[1] + b)
        if self.can_enter(ahead):
            self.pos = ahead
        self.turn += 1
        if self.pos == self.goal:
            return "The gate is yours.", 1.0, True, False, {}
        if self.turn % 3 == 0:
            self.rubble = {(self.side - 1 - y, x) for x, y in self.rubble} - {self.pos, self.goal}
        return self.report(), 0.0, False, self.turn >= self.max_turns, {}
