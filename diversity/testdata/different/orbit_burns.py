import random

class OrbitBurnsEnv:
    """Bring a probe into a circular orbit. Fuel changes the far point when burnt at the near point and the other way
    round; each unit of fuel moves a point by 10 km. A burn at one point takes the probe to the other."""
    def reset(self, seed=None):
        dice = random.Random(seed)
        self.target = dice.randrange(30, 60) * 10
        self.near, self.far = self.target - dice.randrange(2, 9) * 10, self.target + dice.randrange(2, 9) * 10
        self.place, self.burns = "near", 0
        return f"Near point {self.near} km, far point {self.far} km, wanted {self.target} km everywhere. You are at the near point. burn N, N below 0 to brake?", {}
    def solution(self):
        other = self.far if self.place == "near" else self.near
        return f"burn {(self.target - other) // 10}"
    def step(self, action):
        verb, _, amount = action[7:-1].strip().partition(" ")
        if verb != "burn" or not amount.lstrip("-").isdigit() or abs(int(amount)) > 20:
            return "The engine is silent and the probe drifts off.", 0.0, True, False, {}
        if self.place == "near":
            self.far += 10 * int(amount)
        else:
            self.near += 10 * int(amount)
        self.place = "far" if self.place == "near" else "near"
        self.burns += 1
        if self.near == self.far == self.target:
            return "Orbit reached.", 1.0, True, False, {}
        if self.burns == 4:
            return "The tank is empty.", 0.0, True, False, {}
        return f"Near {self.near}, far {self.far}; you are at the {self.place} point.", 0.0, False, False, {}
