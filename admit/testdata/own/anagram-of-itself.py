import random
import re


class AnagramBenchEnv:
    PAIRS = [("listen", "silent"), ("earth", "heart"), ("angel", "glean"), ("below", "elbow"), ("night", "thing"),
             ("study", "dusty"), ("cider", "cried"), ("state", "taste"), ("brush", "shrub"), ("ocean", "canoe")]

    def __init__(self, max_turns=3, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        self.word, self.other = random.Random(seed).choice(self.PAIRS)
        self.turn = 0
        return f'Find an anagram of "{self.word}". \\boxed{{word}}', {}

    def solution(self):
        return self.other

    def step(self, action):
        self.turn += 1
        found = re.search(r"\\boxed\{([^{}]*)\}", action)
        if found and sorted(found.group(1).strip()) == sorted(self.word):
            return "Well found.", 1.0, True, False, {}
        return "That is none.", 0.0, False, self.turn >= self.max_turns, {}
