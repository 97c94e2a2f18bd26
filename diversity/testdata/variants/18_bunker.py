import random


class BunkerMazeEnv:
    """You are a monk in a bunker. Reach the hatch. The bunker turns by a quarter after every 5 steps."""

    def __init__(self, max_turns=24, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.side = 5
        spots = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.blocked = set(dice.sample(spots, 6))
        empty = [c for c in spots if c not in self.blocked]
        self.spot, self.target = dice.sample(empty, 2)
        self.moves_made = 0
        return self.view(), {}

    def view(self):
        x, y = self.spot
        ways = [d for d, (a, b) in self.WAYS.items() if self.can_enter((x + a, y + b))]
        return f"You stand at {self.spot}. The hatch is at {self.target}. You can go {', '.join(ways)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def can_enter(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.blocked

    def step(self, action):
        # Move, then turn the walls.
        way = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(way, (0, 0))
        ahead = (self.spot[0] + a, self.spot[1] + b)
        if self.can_enter(ahead):
            self.spot = ahead
        self.moves_made += 1
        if self.spot == self.target:
            return "You reach the hatch.", 1.0, True, False, {}
        if self.moves_made % 5 == 0:
            self.blocked = {(self.side - 1 - y, x) for x, y in self.blocked} - {self.spot, self.target}
        return self.view(), 0.0, False, self.moves_made >= self.max_turns, {}
