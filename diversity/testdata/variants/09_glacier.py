import random


class GlacierMazeEnv:
    """Lead a lost child through the glacier to the hut. The glacier turns by a quarter after every 4 steps."""

    def __init__(self, max_turns=18, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.n = 7
        spots = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.walls = set(draw.sample(spots, 12))
        empty = [c for c in spots if c not in self.walls]
        self.spot, self.goal = draw.sample(empty, 2)
        self.t = 0
        return self.look(), {}

    def look(self):
        x, y = self.spot
        options = [d for d, (a, b) in self.WAYS.items() if self.is_free((x + a, y + b))]
        return f"You stand at {self.spot}. The hut is at {self.goal}. You can go {', '.join(options)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.walls

    def step(self, action):
        # Move, then turn the walls.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(direction, (0, 0))
        ahead = (self.spot[0] + a, self.spot[1] + b)
        if self.is_free(ahead):
            self.spot = ahead
        self.t += 1
        if self.spot == self.goal:
            return "You reach the hut.", 1.0, True, False, {}
        if self.t % 4 == 0:
            self.walls = {(self.n - 1 - y, x) for x, y in self.walls} - {self.spot, self.goal}
        return self.look(), 0.0, False, self.t >= self.max_turns, {}
