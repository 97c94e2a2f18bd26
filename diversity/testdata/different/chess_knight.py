import random

class ChessKnightEnv:
    """Bring a knight to its target square without touching squares that are attacked by a rook."""
    JUMPS = [(1, 2), (2, 1), (-1, 2), (-2, 1), (1, -2), (2, -1), (-1, -2), (-2, -1)]
    def __init__(self, max_turns=10, **kwargs):
        self.max_turns = max_turns
    def reset(self, seed=None):
        rng = random.Random(seed)
        while True:
            self.rook, self.at, self.goal = rng.sample([(c, r) for c in range(8) for r in range(8)], 3)
            self.dist = self.distances()
            if self.safe(self.at) and self.safe(self.goal) and 3 <= self.dist.get(self.at, 0) <= 6:
                break
        self.count = 0
        return f"Knight {self.name(self.at)}, goal {self.name(self.goal)}, rook {self.name(self.rook)}. Next square?", {}
    def name(self, square):
        return "abcdefgh"[square[0]] + str(square[1] + 1)
    def safe(self, s):
        return s[0] != self.rook[0] and s[1] != self.rook[1]
    def hops(self, s):
        near = [(s[0] + a, s[1] + b) for a, b in self.JUMPS]
        return [n for n in near if 0 <= min(n) and max(n) < 8 and self.safe(n)]
    def distances(self):
        far, ring = {self.goal: 0}, [self.goal]
        while ring:
            ring = [n for s in ring for n in self.hops(s) if n not in far and not far.update({n: far[s] + 1})]
        return far
    def solution(self):
        return self.name(min(self.hops(self.at), key=lambda n: self.dist.get(n, 99)))
    def step(self, action):
        self.count += 1
        said = action[7:-1].strip().lower()
        moves = {self.name(n): n for n in self.hops(self.at)}
        if said not in moves:
            return "The knight is lost.", -1.0, True, False, {}
        self.at = moves[said]
        if self.at == self.goal:
            return "It arrives.", 1.0, True, False, {}
        return f"On {said}.", 0.0, False, self.count >= self.max_turns, {}
