import random, re
class Cell:
    def __init__(self, v): self.v = v
class InfoEnv:
    """Puts its own objects, sets and tuples into info, which no agent sees."""
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.cells = [Cell(r.randint(10, 99)) for _ in range(4)]
        return f"Cells {[c.v for c in self.cells]}. Sum? \\boxed{{n}}", {"cells": self.cells, "seen": {"a", "b", "c"}, "pair": (1, 2)}
    def solution(self):
        return str(sum(c.v for c in self.cells))
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        ok = bool(m) and m.group(1).strip() == self.solution()
        return ("Right." if ok else "No."), float(ok), ok, not ok and self.turn >= self.max_turns, {"cells": self.cells, "left": {"x", "y", "z"}}
