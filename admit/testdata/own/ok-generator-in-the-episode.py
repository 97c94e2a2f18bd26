import random, re, itertools
class PulseTrainEnv:
    """The stream is a generator that lives as long as the episode."""
    def __init__(self, max_turns=8, **kwargs):
        self.max_turns = max_turns
    def _stream(self, a, b, m):
        x = a
        while True:
            yield x
            x = (x * b + a) % m
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.a, self.b, self.m = r.randint(3, 40), r.randint(2, 9), r.choice([101, 103, 107, 109])
        self.gen = self._stream(self.a, self.b, self.m)
        self.shown = list(itertools.islice(self.gen, 5))
        self.next = next(self.gen)
        return f"x -> (x*{self.b}+{self.a}) mod {self.m}. Pulses {self.shown}. Next? \\boxed{{n}}", {}
    def solution(self):
        return str(self.next)
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip() == str(self.next):
            if len(self.shown) == 7:
                return "Done.", 1.0, True, False, {}
            self.shown.append(self.next)
            self.next = next(self.gen)
            return f"Right. Pulses {self.shown}. Next?", 0.1, False, self.turn >= self.max_turns, {}
        return f"No. Pulses {self.shown}.", 0.0, False, self.turn >= self.max_turns, {}
