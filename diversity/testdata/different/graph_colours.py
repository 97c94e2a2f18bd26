import random
import itertools

class GraphColoursEnv:
    """Colour the countries of a map with three colours so that no neighbours share one."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        hidden = {c: rng.choice("rgb") for c in "ABCDEFG"}
        pairs = [p for p in itertools.combinations("ABCDEFG", 2) if hidden[p[0]] != hidden[p[1]]]
        self.edges = sorted(rng.sample(pairs, min(9, len(pairs))))
        self.witness = " ".join(hidden[c] for c in "ABCDEFG")
        return ("Borders: " + ", ".join(a + b for a, b in self.edges) +
                ". Colours r, g or b for A to G, with spaces."), {}
    def solution(self):
        return self.witness
    def step(self, action):
        colours = dict(zip("ABCDEFG", action[7:-1].split()))
        clash = [a + b for a, b in self.edges if colours.get(a) == colours.get(b)]
        proper = len(colours) == 7 and set(colours.values()) <= set("rgb")
        if proper and not clash:
            return "A fine map.", 1.0, True, False, {}
        return f"Clashes: {clash}", -0.2 * len(clash[:5]), True, False, {}
