import random
from collections import Counter

class PokerHandsEnv:
    """Name the better of two poker hands by its rank: pair, two pair, three, full house, four or high card."""
    RANKS = {(1, 1, 1, 1, 1): "high card", (2, 1, 1, 1): "pair", (2, 2, 1): "two pair", (3, 1, 1): "three",
             (3, 2): "full house", (4, 1): "four"}
    def deal(self, rng):
        while True:
            cards = rng.choices("23456789TJQKA", k=5)
            shape = tuple(sorted(Counter(cards).values(), reverse=True))
            if shape in self.RANKS:
                return cards, shape
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.rounds, self.score = [], 0
        while len(self.rounds) < 3:
            (a, x), (b, y) = self.deal(rng), self.deal(rng)
            if x != y:
                order = list(self.RANKS)
                self.rounds.append((a, b, "first " if order.index(x) > order.index(y) else "second ", max(x, y, key=order.index)))
        return self.table(), {}
    def table(self):
        a, b, *_ = self.rounds[self.score]
        return f"first: {' '.join(a)} | second: {' '.join(b)}. Which wins, and with what? (for example: first pair)"
    def solution(self):
        return self.rounds[self.score][2] + self.RANKS[self.rounds[self.score][3]]
    def step(self, action):
        if action[7:-1].strip() != self.solution():
            return "You lose your chips.", -1.0, True, False, {}
        self.score += 1
        if self.score == 3:
            return "You take the pot.", 1.0, True, False, {}
        return self.table(), 0.0, False, False, {}
