import random

class DebateLogicEnv:
    """Follow a chain of implications and facts, and judge whether a conclusion follows (yes), is refuted (no), or neither
    (open). Six cases; all must be right."""
    def reset(self, seed=None):
        self.rng, self.round = random.Random(seed), 0
        return self.case(), {}
    def case(self):
        props = self.rng.sample("ABCDEFGH", 5)
        chain = [f"if {a} then {b}" for a, b in zip(props, props[1:])]
        kind, at = self.rng.choice(["yes", "no", "open"]), self.rng.randrange(1, 4)
        fact = {"yes": props[at - 1], "no": "not " + props[at], "open": props[at]}[kind]
        asked = {"yes": props[4], "no": props[0], "open": props[0]}[kind]
        self.rng.shuffle(chain)
        self.verdict = kind
        return f"Known: {'; '.join(chain)}; {fact}. Does {asked} follow? yes, no or open."
    def solution(self):
        return self.verdict
    def step(self, action):
        if action[7:-1].strip().lower() != self.verdict:
            return "The jury laughs.", 0.0, True, False, {}
        self.round += 1
        if self.round == 6:
            return "Case closed.", 1.0, True, False, {}
        return self.case(), 0.0, False, False, {}
