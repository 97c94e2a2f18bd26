import random
import math

class WaterJugsEnv:
    """Measure out an exact amount with two jugs: fill A, fill B, empty A, empty B, pour AB or pour BA."""
    def __init__(self, max_turns=24, **kwargs):
        self.max_turns = max_turns
    def reset(self, seed=None):
        r = random.Random(seed)
        while True:
            self.size = {"A": r.randint(3, 5), "B": r.randint(6, 9)}
            self.want = r.randint(1, self.size["B"] - 1)
            if math.gcd(*self.size.values()) == 1 and self.want != self.size["A"]:
                break
        self.now, self.used = {"A": 0, "B": 0}, 0
        return f"Jugs of {self.size['A']} and {self.size['B']} litres, both empty. Get {self.want} litres into one.", {}
    def solution(self):
        if self.now["A"] == 0:
            return "fill A"
        return "empty B" if self.now["B"] == self.size["B"] else "pour AB"
    def step(self, action):
        verb, _, which = action[7:-1].partition(" ")
        self.used += 1
        if verb == "fill" and which in self.size:
            self.now[which] = self.size[which]
        elif verb == "empty" and which in self.size:
            self.now[which] = 0
        elif verb == "pour" and sorted(which) == ["A", "B"]:
            a, b = which
            flow = min(self.now[a], self.size[b] - self.now[b])
            self.now[a] -= flow
            self.now[b] += flow
        done = self.want in self.now.values()
        return f"A holds {self.now['A']}, B holds {self.now['B']}.", float(done), done, self.used >= self.max_turns, {}
