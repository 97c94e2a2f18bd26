import random


class HospitalMazeEnv:
    """You are a diver in a hospital. Reach the ward. The hospital turns by a quarter after every 6 steps."""

    def __init__(self, max_turns=23, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        r = random.Random(seed)
        self.n = 6
        spots = [(x, y) for x in range(self.n) for y in range(self.n)]
        self.blocked = set(r.sample(spots, 9))
        floor = [c for c in spots if c not in self.blocked]
        self.here, self.target = r.sample(floor, 2)
        self.t = 0
        return self.look(), {}

    def look(self):
        x, y = self.here
        options = [d for d, (a, b) in self.WAYS.items() if self.clear((x + a, y + b))]
        return f"Your place is {self.here}. The ward is at {self.target}. You can go {', '.join(options)}."

    WAYS = {"north": (0, -1), "south": (0, 1), "east": (1, 0), "west": (-1, 0)}

    def clear(self, cell):
        return 0 <= min(cell) and max(cell) < self.n and cell not in self.blocked

    def step(self, action):
        # A wall costs a turn.
        word = action.replace("\\boxed{", "").rstrip("}").strip().lower()
        a, b = self.WAYS.get(word, (0, 0))
        there = (self.here[0] + a, self.here[1] + b)
        if self.clear(there):
            self.here = there
        self.t += 1
        if self.here == self.target:
            return "The ward is yours.", 1.0, True, False, {}
        if self.t % 6 == 0:
            self.blocked = {(self.n - 1 - y, x) for x, y in self.blocked} - {self.here, self.target}
        return self.look(), 0.0, False, self.t >= self.max_turns, {}
