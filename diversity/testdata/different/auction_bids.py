import random

class AuctionBidsEnv:
    """Buy three lots at auction with a fixed purse. Rivals bid what they did on the day before, which you may look up."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.rivals = [rng.randint(20, 80) for _ in range(5)]
        self.purse = sum(sorted(self.rivals)[:3]) + 3 + rng.randint(0, 3)
        self.lot, self.bought = 0, 0
        return f"Five lots, purse {self.purse}. Reply look for the rival's bid on this lot, pass, or a bid.", {}
    def solution(self):
        cheap = sorted(range(5), key=lambda i: self.rivals[i])[:3]
        return str(self.rivals[self.lot] + 1) if self.lot in cheap else "pass"
    def step(self, action):
        word = action[7:-1].strip()
        if word == "look":
            return "Yesterday's bids: " + ", ".join(map(str, self.rivals)), 0.0, False, False, {}
        if word.isdigit():
            if int(word) > self.purse:
                return "You cannot pay; the bailiff comes.", -1.0, True, False, {}
            if int(word) > self.rivals[self.lot]:
                self.purse -= int(word)
                self.bought += 1
        elif word != "pass":
            return "The auctioneer does not understand.", 0.0, True, False, {}
        self.lot += 1
        if self.bought == 3:
            return "Three lots are yours.", 1.0, True, False, {}
        if self.lot == 5:
            return "The hall empties.", 0.0, True, False, {}
        return f"Lot {self.lot + 1}; purse {self.purse}.", 0.0, False, False, {}
