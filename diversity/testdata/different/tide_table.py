import random
import math

class TideTableEnv:
    """A boat may leave the harbour when the water stands high enough. Name the first hour at which it does."""
    def reset(self, seed=None):
        g = random.Random(seed)
        self.phase, self.draught = g.uniform(0, 12.4), g.randint(23, 38) / 10
        rows = [f"{hour:02d}h {self.level(hour):.2f} m" for hour in range(0, 24, 3)]
        self.hours = [h for h in range(24) if self.level(h) >= self.draught]
        return (f"The keel needs {self.draught} m. Levels follow a wave of 12.4 h: " + ", ".join(rows) +
                ". First whole hour with enough water?"), {}
    def level(self, hour):
        return 2.5 + 1.8 * math.cos(2 * math.pi * (hour - self.phase) / 12.4)
    def solution(self):
        return str(self.hours[0])
    def step(self, action):
        said = action[len("\\boxed{"):-1].strip()
        if not said.isdigit():
            return "Give an hour of the day.", 0.0, True, False, {}
        if int(said) == self.hours[0]:
            return "She floats out.", 1.0, True, False, {}
        return "Aground, or too late.", -0.5, True, False, {}
