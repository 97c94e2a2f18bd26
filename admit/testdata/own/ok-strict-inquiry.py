import random, re
class CustomsEnv:
    """Anything but a command forfeits; commands to look cost turns only."""
    def __init__(self, max_turns=10, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.w = dict(zip(["crate", "barrel", "chest", "sack"], r.sample(range(10, 99), 4)))
        return "Four pieces: crate, barrel, chest, sack. Commands: \\boxed{weigh PIECE}, \\boxed{seize PIECE}. Seize the heaviest. Anything else forfeits.", {}
    def solution(self):
        return "seize " + max(self.w, key=self.w.get)
    def step(self, action):
        self.turn += 1
        m = re.fullmatch(r'.*\\boxed\{(weigh|seize) (crate|barrel|chest|sack)\}.*', action, re.S)
        if not m:
            return "Forfeit.", -1.0, True, False, {}
        if m.group(1) == "weigh":
            return f"{m.group(2)}: {self.w[m.group(2)]} kg", 0.0, False, self.turn >= self.max_turns, {}
        ok = m.group(2) == max(self.w, key=self.w.get)
        return ("Seized." if ok else "Wrong."), float(ok), True, False, {}
