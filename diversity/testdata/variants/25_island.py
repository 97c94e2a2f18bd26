import random


class IslandMazeEnv:
    """Lead a diver through the island to the beacon. The island turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=24, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.side = 5
        rooms = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.walls = set(r.sample(rooms, 6))
        empty = [c for c in rooms if c not in self.walls]
        self.here, self.exit = r.sample(empty, 2)
        self.moves_made = 0
        return self.look(), {}

    def look(self):
        x, y = self.here
        options = [d for d, (a, b) in self.moves.items() if self.is_free((x + a, y + b))]
        return f"You stand at {self.here}. The beacon is at {self.exit}. Open ways: {', '.join(options)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def is_free(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(way, (0, 0))
        there = (self.here[0] + a, self.here[1] + b)
        if self.is_free(there):
            self.here = there
        self.moves_made += 1
        if self.here == self.exit:
            return "The beacon is yours.", 1.0, True, False, {}
        if self.moves_made % 6 == 0:
            self.walls = {(self.side - 1 - y, x) for x, y in self.walls} - {self.here, self.exit}
        return self.look(), 0.0, False, self.moves_made >= self.max_turns, {}
