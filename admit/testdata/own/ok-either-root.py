import random, re
class RootEnv:
    """Both signs are right."""
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.x = r.randint(12, 99)
        return f"Find a whole number whose square is {self.x ** 2}. \\boxed{{n}}", {}
    def solution(self):
        return str(self.x)
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{\s*(-?\d{1,6})\s*\}', action)
        ok = bool(m) and int(m.group(1)) ** 2 == self.x ** 2
        return ("Right." if ok else "No."), float(ok), ok, not ok and self.turn >= self.max_turns, {}
