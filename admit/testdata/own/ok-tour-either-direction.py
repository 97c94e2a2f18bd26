import itertools, random, re
class MailRouteEnv:
    """The shortest round trip: it may be run in either direction."""
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.names = r.sample("ABCDEFGH", 5)
        self.at = {n: (r.randint(0, 40), r.randint(0, 40)) for n in self.names}
        return "Places " + ", ".join(f"{n}{self.at[n]}" for n in sorted(self.names)) + ". In which order is the closed tour through all of them shortest (straight lines)? \\boxed{X, Y, ...}", {}
    def _len(self, t):
        return sum(((self.at[a][0]-self.at[b][0])**2 + (self.at[a][1]-self.at[b][1])**2) ** 0.5 for a, b in zip(t, t[1:] + t[:1]))
    def solution(self):
        return ", ".join(min(itertools.permutations(sorted(self.names)), key=lambda t: (round(self._len(t), 6), t)))
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        t = tuple(re.findall(r'[A-H]', m.group(1))) if m else ()
        best = min(self._len(p) for p in itertools.permutations(self.names))
        ok = sorted(t) == sorted(self.names) and self._len(t) < best + 1e-6
        return ("Shortest." if ok else "Not that."), float(ok), ok, not ok and self.turn >= self.max_turns, {}
