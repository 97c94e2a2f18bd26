import random, re
class CipherEnv:
    WORDS = ["walrus", "pelican", "marmot", "gannet", "ocelot", "tapir", "badger", "heron"]
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.word = r.choice(self.WORDS)
        self.k = r.randint(1, 25)
        c = "".join(chr((ord(x) - 97 + self.k) % 26 + 97) for x in self.word)
        return f"[task cipher, target='{self.word}'] Decode {c} (shift unknown). \\boxed{{word}}", {}
    def solution(self):
        return self.word
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip() == self.solution():
            return "Right.", 1.0, True, False, {}
        return "No.", 0.0, False, self.turn >= self.max_turns, {}
