import random

class CipherWheelEnv:
    """A spy's wheel shifts each letter by a secret step that grows by a secret amount. Ask for the cipher of probe words,
    then send the message of the day in cipher."""
    ABC = "abcdefghijklmnopqrstuvwxyz"
    def reset(self, seed=None):
        rng = random.Random(seed)
        self.first, self.grow = rng.randrange(26), rng.randrange(1, 26)
        self.message = "".join(rng.choices(self.ABC, k=8))
        self.tests = 3
        return f"Message: {self.message}. Reply try WORD (3 letters, 3 times) or send CIPHER.", {}
    def encode(self, word):
        return "".join(self.ABC[(self.ABC.index(c) + self.first + i * self.grow) % 26] for i, c in enumerate(word))
    def solution(self):
        return "send " + self.encode(self.message)
    def step(self, action):
        verb, _, word = action[7:-1].strip().lower().partition(" ")
        if verb == "send":
            right = word == self.encode(self.message)
            return ("Headquarters answers." if right else "Static."), float(right), True, False, {}
        self.tests -= 1
        if verb != "try" or len(word) != 3 or not word.isalpha() or not word.isascii() or self.tests < 0:
            return "The wheel jams.", 0.0, True, False, {}
        return f"{word} becomes {self.encode(word)}.", 0.0, False, False, {}
