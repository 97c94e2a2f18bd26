import random
import re


class FerryScalesEnv:
    """Weighing goods for a ferry: the seed decides whether a sum or a comparison is asked for."""

    def reset(self, seed=None):
        rng = random.Random(seed)
        sums = rng.random() < 0.5
        a, b = rng.sample(range(100, 900), 2)
        if sums:
            self.answer = str(a + b)
            return f"A crate of {a} kg and a barrel of {b} kg go aboard. How many kg is that? Put the number in \\boxed{{}}.", {}
        self.answer = "yes" if a > b else "no"
        return f"A crate has {a} kg, a barrel {b} kg. Is the crate heavier? Put yes or no in \\boxed{{}}.", {}

    def solution(self):
        return self.answer

    def step(self, action):
        found = re.search(r"\\boxed\{([^{}]*)\}", action)
        right = bool(found) and found.group(1).strip().lower() == self.answer
        return ("right" if right else "wrong"), float(right), True, False, {}
