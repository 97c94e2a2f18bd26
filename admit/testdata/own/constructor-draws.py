import random, re
class CtorEnv:
    """The constructor draws what reset uses."""
    def __init__(self, max_turns=3, **kwargs):
        self.max_turns = max_turns
        self.offset = random.Random().randint(1, 10**6)
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.n = r.randint(200, 600)
        return f"Offset {self.offset}. Offset plus {self.n}? \\boxed{{n}}", {}
    def solution(self):
        return str(self.n + self.offset)
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip() == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No.", 0.0, False, self.turn >= self.max_turns, {}
