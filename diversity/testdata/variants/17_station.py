import random


class StationMazeEnv:
    """Lead an apprentice through the station to the platform. The station turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=24, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.side = 8
        squares = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.blocked = set(draw.sample(squares, 16))
        floor = [c for c in squares if c not in self.blocked]
        self.at, self.goal = draw.sample(floor, 2)
        self.steps = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.at
        free_dirs = [d for d, (a, b) in self.WAYS.items() if self.clear((x + a, y + b))]
        return f"You stand at {self.at}. The platform is at {self.goal}. You can go {', '.join(free_dirs)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.blocked

    def step(self, action):
        # Walk if the way is free.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(way, (0, 0))
        ahead = (self.at[0] + a, self.at[1] + b)
        if self.clear(ahead):
            self.at = ahead
        self.steps += 1
        if self.at == self.goal:
            return "You reach the platform.", 1.0, True, False, {}
        if self.steps % 4 == 0:
            self.blocked = {(self.side - 1 - y, x) for x, y in self.blocked} - {self.at, self.goal}
        return self.describe(), 0.0, False, self.steps >= self.max_turns, {}
