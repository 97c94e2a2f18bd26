import random, re
class TwentyEnv:
    """Questions about a hidden animal; wrong guesses go on."""
    A = {"otter": (1, 1, 0), "eagle": (0, 0, 1), "trout": (1, 0, 0), "bat": (0, 1, 1), "mole": (0, 1, 0), "duck": (1, 0, 1)}
    Q = ["swims", "mammal", "flies"]
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.a = r.choice(sorted(self.A))
        return "I think of an animal. Ask \\boxed{swims}, \\boxed{mammal} or \\boxed{flies}; then name it. You have five turns and one guess.", {}
    def solution(self):
        return self.a
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{\s*(\w+)\s*\}', action)
        w = m.group(1).lower() if m else ""
        late = self.turn >= self.max_turns
        if w in self.Q:
            return ("yes" if self.A[self.a][self.Q.index(w)] else "no"), 0.0, False, late, {}
        if w == self.a:
            return "You have it.", 1.0, True, False, {}
        if w in self.A:
            return "No; over.", 0.0, True, False, {}
        return "Ask or name.", 0.0, False, late, {}
