import random

class MinefieldEnv:
    """Cross a field of five columns row by row. A detector tells for the next row how many mines lie in columns 0 to 2."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.rows = [rng.sample(range(5), 3) for _ in range(6)]
        self.depth, self.probes = 0, 9
        return "Six rows of five columns, three mines in each. Reply probe C (9 in all: is column C mined?) or go C.", {}
    def solution(self):
        return "go %d" % min(set(range(5)) - set(self.rows[self.depth]))
    def step(self, action):
        verb, _, column = action[7:-1].strip().partition(" ")
        if verb not in ("probe", "go") or column not in set("01234"):
            return "You stand still. The patrol finds you.", 0.0, True, False, {}
        mined = int(column) in self.rows[self.depth]
        if verb == "probe":
            self.probes -= 1
            if self.probes < 0:
                return "The battery is dead, and so is your chance.", 0.0, True, False, {}
            return f"Row {self.depth}, column {column}: {'mine' if mined else 'clear'}.", 0.0, False, False, {}
        if mined:
            return "Boom.", -1.0, True, False, {}
        self.depth += 1
        if self.depth == len(self.rows):
            return "You are across.", 1.0, True, False, {}
        return f"Row {self.depth} lies ahead.", 0.0, False, False, {}
