import random

class CropRotationEnv:
    """Plan four seasons on three fields. No field may bear the same crop twice in a row, and each season feeds on what
    the last one left: beans give nitrogen, wheat takes two, barley takes one."""
    EFFECT = {"beans": 2, "barley": -1, "wheat": -2}
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.soil = [rng.randint(1, 3) for _ in range(3)]
        self.last, self.season, self.wheat = [None] * 3, 0, 0
        self.need = 3
        return f"Nitrogen of the fields: {self.soil}. Harvest wheat {self.need} times in four seasons. Three crops, with spaces?", {}
    def choose(self, i):
        if self.last[i] != "wheat" and self.soil[i] >= 2:
            return "wheat"
        return "beans" if self.last[i] != "beans" else "barley"
    def solution(self):
        return " ".join(self.choose(i) for i in range(3))
    def step(self, action):
        crops = action[7:-1].split()
        if len(crops) != 3 or not set(crops) <= set(self.EFFECT):
            return "Nothing is sown.", 0.0, True, False, {}
        for i, crop in enumerate(crops):
            if crop == self.last[i] or self.soil[i] + self.EFFECT[crop] < 0:
                return f"Field {i} fails.", 0.0, True, False, {}
            self.soil[i] += self.EFFECT[crop]
            self.wheat += crop == "wheat"
        self.last, self.season = crops, self.season + 1
        if self.season < 4:
            return f"Nitrogen {self.soil}, wheat so far {self.wheat}.", 0.0, False, False, {}
        fed = self.wheat >= self.need
        return ("The barn is full." if fed else "Winter is hungry."), float(fed), True, False, {}
