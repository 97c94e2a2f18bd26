import random, re
class CountUpEnv:
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.n = r.randint(200, 600)
        return f"Which number has the digit sum of {self.n} and is one larger than {self.n}? No: just say {self.n} + 9. \\boxed{{n}}", {}
    def solution(self):
        return str(self.n + 9)
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{\s*(\d+)\s*\}', action)
        k = 0
        if m:
            while k != int(m.group(1)):      # counts up to what was said
                k += 1
        ok = m and k == self.n + 9
        return "Right." if ok else "No.", 1.0 if ok else 0.0, bool(ok), not ok and self.turn >= self.max_turns, {}
