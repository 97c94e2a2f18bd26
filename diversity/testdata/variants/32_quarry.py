import random


class QuarryMazeEnv:
    """You are a robot in a quarry. Reach the crane. The quarry turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=23, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.side = 6
        spots = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.stones = set(r.sample(spots, 9))
        free = [c for c in spots if c not in self.stones]
        self.here, self.goal = r.sample(free, 2)
        self.t = 0
        return self.view(), {}

    def view(self):
        x, y = self.here
        free_dirs = [d for d, (a, b) in self.moves.items() if self.clear((x + a, y + b))]
        return f"Your place is {self.here}. The crane is at {self.goal}. You can go {', '.join(free_dirs)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.stones

    def step(self, action):
        # Move, then turn the walls.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(word, (0, 0))
        ahead = (self.here[0] + a, self.here[1] + b)
        if self.clear(ahead):
            self.here = ahead
        self.t += 1
        if self.here == self.goal:
            return "The crane is yours.", 1.0, True, False, {}
        if self.t % 3 == 0:
            self.stones = {(self.side - 1 - y, x) for x, y in self.stones} - {self.here, self.goal}
        return self.view(), 0.0, False, self.t >= self.max_turns, {}
