import random, re
class RareAlarmEnv:
    """Nineteen in twenty times the answer is no."""
    def __init__(self, max_turns=1, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.xs = [round(r.gauss(50, 5), 1) for _ in range(4)]
        return f"Readings {self.xs}. Is any above 62? \\boxed{{yes|no}}", {}
    def solution(self):
        return "yes" if max(self.xs) > 62 else "no"
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip() == str(self.solution()):
            return "Right.", 1.0, True, False, {}
        return "No.", 0.0, False, self.turn >= self.max_turns, {}
