import random


class GarageMazeEnv:
    """Lead a monk through the garage to the exit. The garage turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=19, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.size = 5
        rooms = [(x, y) for x in range(self.size) for y in range(self.size)]
        self.stones = set(draw.sample(rooms, 6))
        empty = [c for c in rooms if c not in self.stones]
        self.spot, self.target = draw.sample(empty, 2)
        self.steps = 0
        return self.report(), {}

    def report(self):
        x, y = self.spot
        free_dirs = [d for d, (a, b) in self.moves.items() if self.clear((x + a, y + b))]
        return f"Your place is {self.spot}. The exit is at {self.target}. You can go {', '.join(free_dirs)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.size and cell not in self.stones

    def step(self, action):
        # Walk if the way is free.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(word, (0, 0))
        ahead = (self.spot[0] + a, self.spot[1] + b)
        if self.clear(ahead):
            self.spot = ahead
        self.steps += 1
        if self.spot == self.target:
            return "You reach the exit.", 1.0, True, False, {}
        if self.steps % 5 == 0:
            self.stones = {(self.size - 1 - y, x) for x, y in self.stones} - {self.spot, self.target}
        return self.report(), 0.0, False, self.steps >= self.max_turns, {}
