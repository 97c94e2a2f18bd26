import random


class CanyonMazeEnv:
    """Lead a thief through the canyon to the spring. The canyon turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.width = 5
        squares = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.rubble = set(r.sample(squares, 6))
        floor = [c for c in squares if c not in self.rubble]
        self.pos, self.exit = r.sample(floor, 2)
        self.steps = 0
        return self.view(), {}

    def view(self):
        x, y = self.pos
        free_dirs = [d for d, (a, b) in self.WAYS.items() if self.can_enter((x + a, y + b))]
        return f"You stand at {self.pos}. The spring is at {self.exit}. You can go {', '.join(free_dirs)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.rubble

    def step(self, action):
        # Move, then turn the walls.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(word, (0, 0))
        new = (self.pos[0] + a, self.pos[1] + b)
        if self.can_enter(new):
            self.pos = new
        self.steps += 1
        if self.pos == self.exit:
            return "You reach the spring.", 1.0, True, False, {}
        if self.steps % 3 == 0:
            self.rubble = {(self.width - 1 - y, x) for x, y in self.rubble} - {self.pos, self.exit}
        return self.view(), 0.0, False, self.steps >= self.max_turns, {}
