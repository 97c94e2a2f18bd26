import random


class RuinMazeEnv:
    """Lead a monk through the ruin to the arch. The ruin turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=21, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.width = 6
        spots = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.rubble = set(draw.sample(spots, 9))
        floor = [c for c in spots if c not in self.rubble]
        self.spot, self.prize = draw.sample(floor, 2)
        self.t = 0
        return self.look(), {}

    def look(self):
        x, y = self.spot
        free_dirs = [d for d, (a, b) in self.STEPS.items() if self.clear((x + a, y + b))]
        return f"You stand at {self.spot}. The arch is at {self.prize}. You can go {', '.join(free_dirs)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.rubble

    def step(self, action):
        # Move, then turn the walls.
        direction = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(direction, (0, 0))
        there = (self.spot[0] + a, self.spot[1] + b)
        if self.clear(there):
            self.spot = there
        self.t += 1
        if self.spot == self.prize:
            return "The arch is yours.", 1.0, True, False, {}
        if self.t % 5 == 0:
            self.rubble = {(self.width - 1 - y, x) for x, y in self.rubble} - {self.spot, self.prize}
        return self.look(), 0.0, False, self.t >= self.max_turns, {}
