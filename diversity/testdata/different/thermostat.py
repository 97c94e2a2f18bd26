import random

class ThermostatEnv:
    """Hold a greenhouse between two temperatures for eight hours; say the power of the heater, 0 to 5, every hour."""
    def __init__(self, max_turns=8, **kwargs):
        self.hours = max_turns
    def reset(self, seed=None):
        self.rng = random.Random(seed)
        self.loss, self.hour = self.rng.choice([0.2, 0.3, 0.4]), 0
        self.inside, self.outside = 18.0, float(self.rng.randint(-5, 8))
        self.low, self.high = 17.0, 20.0
        return f"{self.report()} Keep it from {self.low} to {self.high}.", {}
    def report(self):
        return f"Hour {self.hour}: inside {self.inside:.1f}, outside {self.outside:.0f}, loss {self.loss} of the gap an hour; a step of power gives 2 degrees."
    def after(self, power):
        return self.inside + 2.0 * power - self.loss * (self.inside - self.outside)
    def solution(self):
        return min("012345", key=lambda p: abs(self.after(int(p)) - 18.5))
    def step(self, action):
        power = action.replace("\\boxed{", "").replace("}", "").strip()
        if power not in list("012345"):
            return "The heater does not know that.", 0.0, True, False, {}
        self.inside, self.hour = self.after(int(power)), self.hour + 1
        if not self.low <= self.inside <= self.high:
            return f"{self.inside:.1f}: the orchids die.", 0.0, True, False, {}
        if self.hour == self.hours:
            return "The orchids bloom.", 1.0, True, False, {}
        self.outside += self.rng.choice([-1, 0, 1])
        return self.report(), 0.0, False, False, {}
