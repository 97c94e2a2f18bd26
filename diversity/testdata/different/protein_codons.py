import random

class ProteinCodonsEnv:
    """Translate messenger RNA into amino acids with the table that you are given; stop at the stop codon."""
    def reset(self, seed=None):
        g = random.Random(seed)
        codons = g.sample([a + b + c for a in "ACGU" for b in "ACGU" for c in "ACGU"], 9)
        self.table = dict(zip(codons, "MKLVSTRW*"))
        chain = g.choices(codons[:8], k=7)
        self.strand = "".join(g.choice("AU") for _ in range(g.randrange(3))) + codons[0] + "".join(chain) + codons[8] + "".join(g.choices(codons, k=2))
        key = ", ".join(f"{c}={a}" for c, a in sorted(self.table.items()))
        return f"Start codon {codons[0]}; table {key}. Strand {self.strand}. The protein, as letters?", {}
    def solution(self):
        start = next(c for c, a in self.table.items() if a == "M")
        protein, i = "", self.strand.index(start)
        while self.table.get(self.strand[i:i + 3], "*") != "*":
            protein += self.table[self.strand[i:i + 3]]
            i += 3
        return protein
    def step(self, action):
        folded = action == "\\boxed{" + self.solution() + "}"
        return "It folds." if folded else "It is digested.", float(folded), True, False, {}
