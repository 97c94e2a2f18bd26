import random

class SeatingPlanEnv:
    """Seat guests at a row of chairs, one a turn from the left, so that no two who quarrel sit side by side."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.order = rng.sample(["Ana", "Bob", "Cyd", "Eve", "Fay", "Gus"], 6)
        near = {frozenset(p) for p in zip(self.order, self.order[1:])}
        every = [frozenset((a, b)) for i, a in enumerate(self.order) for b in self.order[:i]]
        self.feuds = set(rng.sample([p for p in sorted(every, key=sorted) if p not in near], 7))
        self.row = []
        listed = "; ".join(" and ".join(sorted(p)) for p in sorted(self.feuds, key=sorted))
        return f"Guests: {', '.join(sorted(self.order))}. Quarrels: {listed}. Who sits first?", {}
    def solution(self):
        return self.order[len(self.row)]
    def step(self, action):
        name = action[7:-1].strip().title()
        if name not in self.order or name in self.row:
            return "No such guest is standing.", 0.0, True, False, {}
        if self.row and frozenset((name, self.row[-1])) in self.feuds:
            return "Plates fly.", -0.5, True, False, {}
        self.row.append(name)
        if len(self.row) == 6:
            return "A peaceful dinner.", 1.0, True, False, {}
        return f"{name} sits. Who is next?", 0.0, False, False, {}
