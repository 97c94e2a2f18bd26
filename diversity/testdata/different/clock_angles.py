import random

class ClockAnglesEnv:
    """A watchmaker asks for the smaller angle between the hands of a clock, in degrees, halves written as .5."""
    rounds = 4
    def reset(self, seed=None):
        self.rng, self.done = random.Random(seed), 0
        return self.tick(), {}
    def tick(self):
        self.hour, self.minute = self.rng.randrange(12), self.rng.randrange(60)
        return f"It is {self.hour}:{self.minute:02d}."
    def solution(self):
        gap = abs(self.hour * 30 - self.minute * 5.5)
        return f"{min(gap, 360 - gap):g}"
    def step(self, action):
        if action.replace(" ", "") != "\\boxed{" + self.solution() + "}":
            return "The spring snaps.", 0.0, True, False, {}
        self.done += 1
        if self.done < self.rounds:
            return "Good. " + self.tick(), 0.0, False, False, {}
        return "The clock is sold.", 1.0, True, False, {}
