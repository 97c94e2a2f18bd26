import random

class InventoryKnapsackEnv:
    """Pack a rucksack for the highest value within a weight limit; name the items with spaces."""
    ITEMS = "tent stove rope lamp axe map radio".split()
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.weight = {i: rng.randint(2, 9) for i in self.ITEMS}
        self.value = {i: rng.randint(5, 30) for i in self.ITEMS}
        self.limit = sum(self.weight.values()) // 2
        self.best = max(self.subsets(), key=self.worth)
        listed = ", ".join(f"{i} {self.weight[i]} kg worth {self.value[i]}" for i in self.ITEMS)
        return f"{listed}. At most {self.limit} kg.", {}
    def subsets(self):
        for mask in range(1 << len(self.ITEMS)):
            chosen = [i for k, i in enumerate(self.ITEMS) if mask >> k & 1]
            if sum(self.weight[i] for i in chosen) <= self.limit:
                yield chosen
    def worth(self, chosen):
        return sum(self.value[i] for i in chosen)
    def solution(self):
        return " ".join(self.best)
    def step(self, action):
        chosen = sorted(set(action[7:-1].split()))
        if any(i not in self.weight for i in chosen) or sum(self.weight[i] for i in chosen) > self.limit:
            return "The seams burst.", 0.0, True, False, {}
        if self.worth(chosen) == self.worth(self.best):
            return "Nothing better fits.", 1.0, True, False, {}
        return "You left value behind.", 0.0, True, False, {}
