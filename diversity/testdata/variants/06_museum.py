import random


class MuseumMazeEnv:
    """You are a robot in a museum. Reach the portrait. The museum turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.size = 8
        cells = [(x, y) for x in range(self.size) for y in range(self.size)]
        self.blocked = set(draw.sample(cells, 16))
        floor = [c for c in cells if c not in self.blocked]
        self.spot, self.exit = draw.sample(floor, 2)
        self.t = 0
        return self.look(), {}

    def look(self):
        x, y = self.spot
        ways = [d for d, (a, b) in self.STEPS.items() if self.clear((x + a, y + b))]
        return f"You stand at {self.spot}. The portrait is at {self.exit}. Open ways: {', '.join(ways)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.size and cell not in self.blocked

    def step(self, action):
        # A wall costs a turn.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(direction, (0, 0))
        ahead = (self.spot[0] + a, self.spot[1] + b)
        if self.clear(ahead):
            self.spot = ahead
        self.t += 1
        if self.spot == self.exit:
            return "The portrait is yours.", 1.0, True, False, {}
        if self.t % 4 == 0:
            self.blocked = {(self.size - 1 - y, x) for x, y in self.blocked} - {self.spot, self.exit}
        return self.look(), 0.0, False, self.t >= self.max_turns, {}
