import random


class FortressMazeEnv:
    """Lead a monk through the fortress to the banner. The fortress turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=25, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        rng = random.Random(seed)
        self.width = 6
        spots = [(x, y) for x in range(self.width) for y in range(self.width)]
        self.walls = set(rng.sample(spots, 9))
        floor = [c for c in spots if c not in self.walls]
        self.at, self.goal = rng.sample(floor, 2)
        self.turn = 0
        return self.view(), {}

    def view(self):
        x, y = self.at
        options = [d for d, (a, b) in self.moves.items() if self.can_enter((x + a, y + b))]
        return f"Your place is {self.at}. The banner is at {self.goal}. Open ways: {', '.join(options)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.width and cell not in self.walls

    def step(self, action):
        # Walk if the way is free.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(move, (0, 0))
        ahead = (self.at[0] + a, self.at[1] + b)
        if self.can_enter(ahead):
            self.at = ahead
        self.turn += 1
        if self.at == self.goal:
            return "The banner is yours.", 1.0, True, False, {}
        if self.turn % 3 == 0:
            self.walls = {(self.width - 1 - y, x) for x, y in self.walls} - {self.at, self.goal}
        return self.view(), 0.0, False, self.turn >= self.max_turns, {}
