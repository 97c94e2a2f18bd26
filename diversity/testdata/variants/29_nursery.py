import random


class NurseryMazeEnv:
    """Lead an apprentice through the nursery to the cradle. The nursery turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=19, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.side = 5
        cells = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.rubble = set(draw.sample(cells, 6))
        empty = [c for c in cells if c not in self.rubble]
        self.spot, self.goal = draw.sample(empty, 2)
        self.steps = 0
        return self.look(), {}

    def look(self):
        x, y = self.spot
        free_dirs = [d for d, (a, b) in self.WAYS.items() if self.is_free((x + a, y + b))]
        return f"You stand at {self.spot}. The cradle is at {self.goal}. You can go {', '.join(free_dirs)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.rubble

    def step(self, action):
        # Anything else stands still.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(word, (0, 0))
        new = (self.spot[0] + a, self.spot[1] + b)
        if self.is_free(new):
            self.spot = new
        self.steps += 1
        if self.spot == self.goal:
            return "The cradle is yours.", 1.0, True, False, {}
        if self.steps % 6 == 0:
            self.rubble = {(self.side - 1 - y, x) for x, y in self.rubble} - {self.spot, self.goal}
        return self.look(), 0.0, False, self.steps >= self.max_turns, {}
