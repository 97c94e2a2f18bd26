import random, re
class LedgerScanEnv:
    """About 30 kB of ledger; the sum over one account is asked."""
    def __init__(self, max_turns=3, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.rows = [(i, r.choice("KLMNOP"), r.randint(100, 999)) for i in range(1100)]
        self.ask = r.choice("KLMNOP")
        text = "\n".join(f"row {i:04d} account {a} amount {v}" for i, a, v in self.rows)
        return f"{text}\nTotal amount of account {self.ask}? \\boxed{{n}}", {}
    def solution(self):
        return str(sum(v for _, a, v in self.rows if a == self.ask))
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip() == self.solution():
            return "Right.", 1.0, True, False, {}
        return f"No. Account {self.ask}.", 0.0, False, self.turn >= self.max_turns, {}
