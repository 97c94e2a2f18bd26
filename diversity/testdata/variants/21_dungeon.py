import random


class DungeonMazeEnv:
    """You are a monk in a dungeon. Reach the lantern. The dungeon turns by a quarter after every 3 steps."""

    def __init__(self, max_turns=22, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        dice = random.Random(seed)
        self.side = 8
        rooms = [(x, y) for x in range(self.side) for y in range(self.side)]
        self.blocked = set(dice.sample(rooms, 16))
        empty = [c for c in rooms if c not in self.blocked]
        self.pos, self.target = dice.sample(empty, 2)
        self.steps = 0
        return self.look(), {}

    def look(self):
        x, y = self.pos
        ways = [d for d, (a, b) in self.STEPS.items() if self.clear((x + a, y + b))]
        return f"Your place is {self.pos}. The lantern is at {self.target}. You can go {', '.join(ways)}."

    STEPS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.side and cell not in self.blocked

    def step(self, action):
        # Anything else stands still.
        move = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.STEPS.get(move, (0, 0))
        there = (self.pos[0] + a, self.pos[1] + b)
        if self.clear(there):
            self.pos = there
        self.steps += 1
        if self.pos == self.target:
            return "The lantern is yours.", 1.0, True, False, {}
        if self.steps % 3 == 0:
            self.blocked = {(self.side - 1 - y, x) for x, y in self.blocked} - {self.pos, self.target}
        return self.look(), 0.0, False, self.steps >= self.max_turns, {}
