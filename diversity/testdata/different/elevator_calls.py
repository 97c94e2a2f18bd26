import random

class ElevatorCallsEnv:
    """Steer a lift through a building: up, down or open. Everybody who waits has to be carried to the wanted floor."""
    def __init__(self, floors=5, max_turns=25):
        self.floors, self.max_turns = floors, max_turns
    def reset(self, seed=None):
        r = random.Random(seed)
        self.at, self.riders, self.clock = 0, [], 0
        self.waiting = [tuple(r.sample(range(self.floors), 2)) for _ in range(2)]
        return self.look(), {}
    def look(self):
        calls = ", ".join(f"floor {a} to {b}" for a, b in self.waiting) or "nobody"
        return f"Lift at {self.at}; inside for floors {sorted(self.riders)}; waiting: {calls}. up, down or open?"
    def goal(self):
        return self.riders[0] if self.riders else self.waiting[0][0]
    def solution(self):
        return "open" if self.goal() == self.at else "up" if self.goal() > self.at else "down"
    def step(self, action):
        word = action.strip().replace("\\boxed{", "").rstrip("}").strip()
        self.clock += 1
        if word == "up":
            self.at = min(self.floors - 1, self.at + 1)
        elif word == "down":
            self.at = max(0, self.at - 1)
        elif word == "open":
            self.riders = [f for f in self.riders if f != self.at]
            self.riders += [b for a, b in self.waiting if a == self.at]
            self.waiting = [w for w in self.waiting if w[0] != self.at]
        if not self.riders and not self.waiting:
            return "All have arrived.", 1.0, True, False, {}
        return self.look(), 0.0, False, self.clock >= self.max_turns, {}
