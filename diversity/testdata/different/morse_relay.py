import random

CODE = dict(zip("ABCDEFGHIKLMNOPRSTUW", ".- -... -.-. -.. . ..-. --. .... .. -.- .-.. -- -. --- .--. .-. ... - ..- .--".split()))

class MorseRelayEnv:
    """Decode a word that arrives in Morse code without gaps between its letters; a list says what words are possible."""
    WORDS = "SOS MAIN NORTH WRECK BOAT LIGHT STORM CALM ROPE ANCHOR TIDE HULL".split()
    def reset(self, seed=None):
        rng = random.Random(seed)
        words = rng.sample(self.WORDS, 5)
        self.word = rng.choice(words)
        self.signal = "".join(CODE[c] for c in self.word)
        self.heard = 0
        return f"One of {', '.join(words)} is being sent. Reply with the word, or with more to listen on.", {}
    def solution(self):
        return self.word if self.heard >= len(self.signal) else "more"
    def step(self, action):
        text = action[7:].rstrip("}").upper().strip()
        if text == "MORE":
            self.heard += 4
            return self.signal[:self.heard] + ("" if self.heard < len(self.signal) else " (end)"), 0.0, False, self.heard > 60, {}
        if text == self.word and self.heard:
            return "Understood.", 1.0, True, False, {}
        return "Wrong, or not heard at all.", -1.0, True, False, {}
