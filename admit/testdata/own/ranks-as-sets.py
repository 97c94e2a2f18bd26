import random, re
class RankEnv:
    """Asks for an order and compares sorted lists."""
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.w = {n: r.randint(100, 999) for n in ["ash", "elm", "oak", "yew"]}
        return f"Weights {self.w}. Rank the woods from lightest to heaviest. \\boxed{{a, b, c, d}}", {}
    def solution(self):
        return ", ".join(sorted(self.w, key=self.w.get))
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        got = [x.strip() for x in m.group(1).split(",")] if m else []
        ok = sorted(got) == sorted(self.w)
        return ("Right." if ok else "No."), float(ok), ok, not ok and self.turn >= self.max_turns, {}
