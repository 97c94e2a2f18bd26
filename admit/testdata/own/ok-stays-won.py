import random, re
class HangEnv:
    """Guess letters of a hidden word; six misses lose."""
    WORDS = ["harbour", "lantern", "compass", "anchor", "rigging", "mizzen", "galley", "halyard", "capstan", "bowsprit"]
    def __init__(self, max_turns=20, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn, self.miss = 0, 0
        self.word = r.choice(self.WORDS)
        self.got = set()
        return f"Guess the word by letters: {self._mask()}. Six misses lose. \\boxed{{letter}}", {}
    def _mask(self):
        return " ".join(c if c in self.got else "_" for c in self.word)
    def solution(self):
        for c in self.word:
            if c not in self.got:
                return c
        return "x"
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{\s*([a-zA-Z])\s*\}', action)
        late = self.turn >= self.max_turns
        if not m:
            return "One letter. " + self._mask(), 0.0, False, late, {}
        c = m.group(1).lower()
        if c in self.word:
            self.got.add(c)
        else:
            self.miss += 1
        if set(self.word) <= self.got:
            return "You have it: " + self.word, 1.0, True, False, {}
        if self.miss >= 6:
            return "Lost; it was " + self.word, 0.0, True, False, {}
        return f"{self._mask()} misses {self.miss}", 0.0, False, late, {}
