import random
from functools import reduce
from operator import xor

class NimHeapsEnv:
    """Take stones from one heap, as many as you like; whoever takes the last stone wins. You move first and the
    opponent plays perfectly."""
    def reset(self, seed=None):
        self.dice = random.Random(seed)
        while True:
            self.heaps = [self.dice.randint(2, 7) for _ in range(3)]
            if reduce(xor, self.heaps):
                break
        return f"Heaps {self.heaps}. Say HEAP COUNT, heaps are numbered from 0.", {}
    def best(self):
        total = reduce(xor, self.heaps)
        for i, h in enumerate(self.heaps):
            if h ^ total < h:
                return i, h - (h ^ total)
        big = max(range(3), key=lambda i: self.heaps[i])
        return big, 1
    def solution(self):
        return "%d %d" % self.best()
    def step(self, action):
        parts = action[7:-1].split()
        if len(parts) != 2 or not all(p.isdigit() for p in parts):
            return "Two numbers, please. You forfeit.", -1.0, True, False, {}
        i, k = map(int, parts)
        if i > 2 or not 0 < k <= self.heaps[i]:
            return "That is no move. You forfeit.", -1.0, True, False, {}
        self.heaps[i] -= k
        if not any(self.heaps):
            return "You took the last stone.", 1.0, True, False, {}
        j, n = self.best()
        self.heaps[j] -= n
        if not any(self.heaps):
            return "The opponent took the last stone.", -1.0, True, False, {}
        return f"The opponent took {n} from heap {j}. Heaps {self.heaps}.", 0.0, False, False, {}
