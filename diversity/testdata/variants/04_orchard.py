import random


class OrchardMazeEnv:
    """You are a cat in a orchard. Reach the crate. The orchard turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=20, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.width = 7
        rooms = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.blocked = set(rng.sample(rooms, 12))
        free = [c for c in rooms if c not in self.blocked]
        self.here, self.goal = rng.sample(free, 2)
        self.moves_made = 0
        return self.view(), {}

    def view(self):
        x, y = self.here
        options = [d for d, (a, b) in self.moves.items() if self.is_free((x + a, y + b))]
        return f"You stand at {self.here}. The crate is at {self.goal}. Open ways: {', '.join(options)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.blocked

    def step(self, action):
        # Move, then turn the walls.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(way, (0, 0))
        new = (self.here[0] + a, self.here[1] + b)
        if self.is_free(new):
            self.here = new
        self.moves_made += 1
        if self.here == self.goal:
            return "The crate is yours.", 1.0, True, False, {}
        if self.moves_made % 3 == 0:
            self.blocked = {(self.width - 1 - y, x) for x, y in self.blocked} - {self.here, self.goal}
        return self.view(), 0.0, False, self.moves_made >= self.max_turns, {}
