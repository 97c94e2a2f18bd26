import random


class SewerMazeEnv:
    """Lead a robot through the sewer to the valve. The sewer turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=21, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.side = 6
        squares = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.walls = set(draw.sample(squares, 9))
        floor = [c for c in squares if c not in self.walls]
        self.spot, self.exit = draw.sample(floor, 2)
        self.moves_made = 0
        return self.report(), {}

    def report(self):
        x, y = self.spot
        free_dirs = [d for d, (a, b) in self.WAYS.items() if self.passable((x + a, y + b))]
        return f"You stand at {self.spot}. The valve is at {self.exit}. Open ways: {', '.join(free_dirs)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def passable(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.walls

    def step(self, action):
        # Move, then turn the walls.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(move, (0, 0))
        new = (self.spot[0] + a, self.spot[1] + b)
        if self.passable(new):
            self.spot = new
        self.moves_made += 1
        if self.spot == self.exit:
            return "You reach the valve.", 1.0, True, False, {}
        if self.moves_made % 5 == 0:
            self.walls = {(self.side - 1 - y, x) for x, y in self.walls} - {self.spot, self.exit}
        return self.report(), 0.0, False, self.moves_made >= self.max_turns, {}
