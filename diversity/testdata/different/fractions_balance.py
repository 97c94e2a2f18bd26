import random

class FractionsBalanceEnv:
    """Find the counterfeit coin among nine, which is lighter, with a balance that may be used twice."""
    def reset(self, seed=None):
        self.fake, self.uses = random.Random(seed).randrange(1, 10), 0
        return "Coins 1 to 9, one is lighter. weigh 123 456 compares two groups (twice at most); then fake N.", {}
    def solution(self):
        return f"fake {self.fake}" if self.uses == 2 else "weigh 123 456" if not self.uses else "weigh 1 2"
    def step(self, action):
        verb, *rest = action[7:-1].split()[:3] or [""]
        if verb == "fake" and len(rest) == 1 and self.uses:
            hit = rest[0] == str(self.fake)
            return ("Caught." if hit else "That coin was honest."), 1.0 if hit else -1.0, True, False, {}
        if verb != "weigh" or len(rest) != 2 or len(rest[0]) != len(rest[1]) or set(rest[0]) & set(rest[1]) or self.uses == 2:
            return "The merchant takes the balance away.", 0.0, True, False, {}
        self.uses += 1
        coin = str(self.fake)
        result = "left is lighter" if coin in rest[0] else "right is lighter" if coin in rest[1] else "even"
        return f"Balance: {result}.", 0.0, False, False, {}
