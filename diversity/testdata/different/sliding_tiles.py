import random

class SlidingTilesEnv:
    """Order the eight tiles of a three by three board by sliding tiles into the gap."""
    MOVES = {"left": -1, "right": 1, "above": -3, "below": 3}
    def __init__(self, max_turns=14, **kw):
        self.max_turns = max_turns
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.board, self.trail, self.turn = list("12345678_"), [], 0
        while len(self.trail) < 7:
            name = rng.choice(sorted(self.MOVES))
            if not (self.trail and name == self.opposite(self.trail[-1])) and self.slide(name):
                self.trail.append(name)
        return self.draw() + "\nWhich neighbour of the gap slides into it: left, right, above or below?", {}
    def opposite(self, name):
        return {"left": "right", "right": "left", "above": "below", "below": "above"}[name]
    def slide(self, name):
        gap = self.board.index("_")
        if (name == "left" and gap % 3 == 0) or (name == "right" and gap % 3 == 2):
            return False
        other = gap + self.MOVES[name]
        if not 0 <= other < 9:
            return False
        self.board[gap], self.board[other] = self.board[other], "_"
        return True
    def draw(self):
        return "\n".join(" ".join(self.board[i:i + 3]) for i in (0, 3, 6))
    def solution(self):
        return self.opposite(self.trail[-1])
    def step(self, action):
        name, self.turn = action[7:-1].strip().lower(), self.turn + 1
        if name in self.MOVES and self.slide(name):
            if self.trail and name == self.opposite(self.trail[-1]):
                self.trail.pop()
            else:
                self.trail.append(name)
        solved = "".join(self.board) == "12345678_"
        return self.draw(), float(solved), solved, self.turn >= self.max_turns, {}
