import random

class PolynomialOracleEnv:
    """An oracle knows a polynomial of degree two with whole coefficients from -9 to 9. Query it at points from -3 to 3,
    then name a, b and c of ax^2+bx+c."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.abc = [rng.choice([-1, 1]) * rng.randint(1, 9)] + [rng.randint(-9, 9) for _ in range(2)]
        self.queries, self.tries = 0, 3
        return "Reply at X to ask for a value (3 times), or give A B C; you have 3 tries.", {}
    def solution(self):
        return "{} {} {}".format(*self.abc)
    def step(self, action):
        words = action[7:-1].replace(",", " ").split()
        if len(words) == 2 and words[0] == "at" and words[1] in ("-3", "-2", "-1", "0", "1", "2", "3"):
            x, (a, b, c) = int(words[1]), self.abc
            self.queries += 1
            return f"p({x}) = {a * x * x + b * x + c}", 0.0, False, self.queries > 3, {}
        if words == [str(v) for v in self.abc]:
            return "The oracle smiles.", 1.0, True, False, {}
        self.tries -= 1
        return "The oracle shakes its head.", 0.0, self.tries < 1, False, {}
