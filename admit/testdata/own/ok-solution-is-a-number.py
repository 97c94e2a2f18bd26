import random, re
class IntSolutionEnv:
    """solution() returns a number, not a text."""
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.a, self.b = r.randint(100, 900), r.randint(100, 900)
        return f"Product of {self.a} and {self.b}? \\boxed{{n}}", {}
    def solution(self):
        return self.a * self.b
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip() == str(self.solution()):
            return "Right.", 1.0, True, False, {}
        return "No.", 0.0, False, self.turn >= self.max_turns, {}
