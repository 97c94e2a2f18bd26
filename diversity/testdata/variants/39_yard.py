import random


class YardMazeEnv:
    """You are a cat in a yard. Reach the pump. The yard turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=22, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.size = 7
        spots = [(x, y) for x in range(self.size) for y in range(self.size)]
        self.blocked = set(dice.sample(spots, 12))
        empty = [c for c in spots if c not in self.blocked]
        self.here, self.exit = dice.sample(empty, 2)
        self.t = 0
        return self.describe(), {}

    def describe(self):
        x, y = self.here
        options = [d for d, (a, b) in self.moves.items() if self.can_enter((x + a, y + b))]
        return f"Your place is {self.here}. The pump is at {self.exit}. You can go {', '.join(options)}."

    moves = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.size and cell not in self.blocked

    def step(self, action):
        # A wall costs a turn.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.moves.get(word, (0, 0))
        new = (self.here[0] + a, self.here[1] + b)
        if self.can_enter(new):
            self.here = new
        self.t += 1
        if self.here == self.exit:
            return "The pump is yours.", 1.0, True, False, {}
        if self.t % 3 == 0:
            self.blocked = {(self.size - 1 - y, x) for x, y in self.blocked} - {self.here, self.exit}
        return self.describe(), 0.0, False, self.t >= self.max_turns, {}
