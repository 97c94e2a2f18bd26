import random

class RomanLedgerEnv:
    """Add two amounts of a Roman ledger; write the sum in Roman numerals."""
    SIGNS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"),
             (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]
    def roman(self, n):
        text = ""
        for value, sign in self.SIGNS:
            while n >= value:
                text, n = text + sign, n - value
        return text
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.a, self.b = rng.randint(100, 1900), rng.randint(100, 1900)
        return f"{self.roman(self.a)} amphorae of oil and {self.roman(self.b)} of wine: how many together?", {}
    def solution(self):
        return self.roman(self.a + self.b)
    def step(self, action):
        ok = action.strip() == "\\boxed{%s}" % self.solution()
        return ("Recte." if ok else "Errasti."), float(ok), True, False, {}
