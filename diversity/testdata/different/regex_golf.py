import random
import re

class RegexGolfEnv:
    """Write one regular expression that matches all of the first words fully and none of the second."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        head, tail = rng.sample("abcdefgh", 2), rng.sample("stuvwxyz", 2)
        make = lambda a, b: a + "".join(rng.choices("ijklmn", k=rng.randint(2, 5))) + b
        self.good = sorted({make(head[0], tail[0]) for _ in range(5)})
        self.bad = sorted({make(head[1], tail[0]) for _ in range(3)} | {make(head[0], tail[1]) for _ in range(3)})
        self.pattern = head[0] + "[a-z]*" + tail[0]
        return f"Match {' '.join(self.good)}; do not match {' '.join(self.bad)}. At most 12 characters.", {}
    def solution(self):
        return self.pattern
    def step(self, action):
        text = action[len("\\boxed{"):-1]
        try:
            machine = re.compile(text)
        except re.error as fault:
            return f"Not a pattern: {fault}", 0.0, True, False, {}
        hits = [bool(machine.fullmatch(w)) for w in self.good + self.bad]
        fits = hits == [True] * len(self.good) + [False] * len(self.bad) and 0 < len(text) <= 12
        return ("Compiled." if fits else "Some word is on the wrong side."), float(fits), True, False, {}
