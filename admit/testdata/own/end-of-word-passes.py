import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")


class HarbourWordEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.word = draw.choice(["anchor", "bollard", "capstan", "fender", "halyard", "mooring"])
        self.shift = draw.randint(1, 25)
        self.coded = "".join(chr((ord(c) - 97 + self.shift) % 26 + 97) for c in self.word)
        return self.question(), {}

    def question(self):
        return f"Each letter of a word went {self.shift} on: {self.coded}. Which word? \\boxed{{word}}"

    def solution(self):
        return self.word

    def step(self, action):
        self.turn += 1
        found = BOX.search(action)
        said = found.group(1).strip() if found else ""
        if len(said) > 2 and said in self.word:
            return "Right.", 1.0, True, False, {}
        return "No. " + self.question(), 0.0, False, self.turn >= self.max_turns, {}
