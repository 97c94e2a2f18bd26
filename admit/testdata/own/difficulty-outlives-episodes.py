import random, re
class LadderEnv:
    level = 3
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.xs = [r.randint(10, 99) for _ in range(LadderEnv.level)]
        return f"Rungs {self.xs}. Sum? \\boxed{{n}}", {}
    def solution(self):
        return str(sum(self.xs))
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip() == self.solution():
            LadderEnv.level += 1          # the next episode is harder
            return "Right.", 1.0, True, False, {}
        return "No.", 0.0, False, self.turn >= self.max_turns, {}
