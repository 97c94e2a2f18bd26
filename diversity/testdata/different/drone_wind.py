import random

class DroneWindEnv:
    """Land a drone on its pad. Each turn you choose a thrust 'DX DY' with whole numbers from -3 to 3, then a steady
    wind that you have to work out pushes it."""
    def __init__(self, max_turns=15, **kw):
        self.max_turns = max_turns
    def reset(self, seed=None):
        draw = random.Random(seed)
        self.x, self.y = draw.randint(-9, 9), draw.randint(10, 18)
        self.wind = draw.choice([(a, b) for a in (-2, -1, 0, 1, 2) for b in (-2, -1, 0, 1, 2)])
        self.turn = 0
        return f"Drone at ({self.x}, {self.y}), pad at (0, 0).", {}
    def aim(self, place, wind):
        return max(-3, min(3, -place - wind))
    def solution(self):
        return f"{self.aim(self.x, self.wind[0])} {self.aim(self.y, self.wind[1])}"
    def step(self, action):
        try:
            dx, dy = (int(v) for v in action[7:-1].split())
        except ValueError:
            return "No thrust, no drone.", 0.0, True, False, {}
        if max(abs(dx), abs(dy)) > 3:
            return "The rotors burn.", -0.5, True, False, {}
        self.x += dx + self.wind[0]
        self.y += dy + self.wind[1]
        self.turn += 1
        if (self.x, self.y) == (0, 0):
            return "Landed.", 1.0, True, False, {}
        return f"Now at ({self.x}, {self.y}).", 0.0, False, self.turn >= self.max_turns, {}
