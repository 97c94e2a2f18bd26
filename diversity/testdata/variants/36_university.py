import random


class UniversityMazeEnv:
    """Lead a guard through the university to the lectern. The university turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=22, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.side = 5
        cells = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.walls = set(rng.sample(cells, 6))
        floor = [c for c in cells if c not in self.walls]
        self.pos, self.target = rng.sample(floor, 2)
        self.t = 0
        return self.report(), {}

    def report(self):
        x, y = self.pos
        options = [d for d, (a, b) in self.STEPS.items() if self.can_enter((x + a, y + b))]
        return f"Your place is {self.pos}. The lectern is at {self.target}. You can go {', '.join(options)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.walls

    def step(self, action):
        # A wall costs a turn.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(word, (0, 0))
        ahead = (self.pos[0] + a, self.pos[1] + b)
        if self.can_enter(ahead):
            self.pos = ahead
        self.t += 1
        if self.pos == self.target:
            return "The lectern is yours.", 1.0, True, False, {}
        if self.t % 6 == 0:
            self.walls = {(self.side - 1 - y, x) for x, y in self.walls} - {self.pos, self.target}
        return self.report(), 0.0, False, self.t >= self.max_turns, {}
