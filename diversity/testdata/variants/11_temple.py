import random


class TempleMazeEnv:
    """Lead a lost child through the temple to the idol. The temple turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.n = 8
        spots = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.stones = set(dice.sample(spots, 16))
        floor = [c for c in spots if c not in self.stones]
        self.pos, self.goal = dice.sample(floor, 2)
        self.moves_made = 0
        return self.view(), {}

    def view(self):
        x, y = self.pos
        options = [d for d, (a, b) in self.DIRS.items() if self.passable((x + a, y + b))]
        return f"You stand at {self.pos}. The idol is at {self.goal}. You can go {', '.join(options)}."

    DIRS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.stones

    def step(self, action):
        # Move, then turn the walls.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.DIRS.get(word, (0, 0))
        ahead = (self.pos[0] + a, self.pos[1] + b)
        if self.passable(ahead):
            self.pos = ahead
        self.moves_made += 1
        if self.pos == self.goal:
            return "You reach the idol.", 1.0, True, False, {}
        if self.moves_made % 6 == 0:
            self.stones = {(self.n - 1 - y, x) for x, y in self.stones} - {self.pos, self.goal}
        return self.view(), 0.0, False, self.moves_made >= self.max_turns, {}
