import random

class KnightsAndKnavesEnv:
    """On an island knights always tell the truth and knaves always lie. Say who is what, k for knight and n for knave."""
    NAMES = ["Abel", "Bea", "Cleo", "Dan"]
    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            self.truth = [rng.random() < 0.5 for _ in self.NAMES]
            said = [self.claim(rng, i) for i in range(4)]
            worlds = [w for w in range(16) if all(self.holds(c, w) == bool(w >> i & 1) for i, c in enumerate(said))]
            if len(worlds) == 1:
                break
        lines = [f"{self.NAMES[i]}: '{self.NAMES[a]} and {self.NAMES[b]} are {'alike' if same else 'different'}.'"
                 for i, (a, b, same) in enumerate(said)]
        return "\n".join(lines) + "\nFour letters, in the order of speaking.", {}
    def claim(self, rng, i):
        a, b = rng.sample(range(4), 2)
        return a, b, (self.truth[a] == self.truth[b]) == self.truth[i]
    def holds(self, c, w):
        return ((w >> c[0] & 1) == (w >> c[1] & 1)) == c[2]
    def solution(self):
        return "".join("k" if t else "n" for t in self.truth)
    def step(self, action):
        right = action.lower() == "\\boxed{" + self.solution() + "}"
        return ("They all nod." if right else "They all shrug."), 1.0 if right else 0.0, True, False, {}
