import random

class SpellCheckerEnv:
    """One word of a sentence had two letters swapped. Write the sentence's wrong word as it should be."""
    NOUNS = "gardener captain teacher painter surgeon plumber senator".split()
    VERBS = "measures collects repaired describes purchased".split()
    THINGS = "ladders compasses lanterns blankets trumpets sculptures".split()
    def reset(self, seed=None):
        pick = random.Random(seed)
        words = ["The", pick.choice(self.NOUNS), pick.choice(self.VERBS), pick.choice(["seven", "several", "twenty"]), pick.choice(self.THINGS)]
        self.at = pick.randrange(1, 5)
        self.good = words[self.at]
        spots = [i for i in range(1, len(self.good) - 2) if self.good[i] != self.good[i + 1]]
        i = pick.choice(spots)
        words[self.at] = self.good[:i] + self.good[i + 1] + self.good[i] + self.good[i + 2:]
        return " ".join(words) + ".", {}
    def solution(self):
        return self.good
    def step(self, action):
        if action[7:-1].strip().lower() == self.good:
            return "Printed.", 1.0, True, False, {}
        return "The editor sighs.", 0.0, True, False, {}
