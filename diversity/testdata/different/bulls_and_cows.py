import random

class BullsAndCowsEnv:
    """Find the hidden code of four different digits. After each guess you hear how many digits stand in the right
    place (bulls) and how many are in the code at another place (cows)."""
    def __init__(self, max_turns=12, **kwargs):
        self.max_turns = max_turns
    def reset(self, seed=None):
        self.code = "".join(random.Random(seed).sample("0123456789", 4))
        self.left = self.max_turns
        return f"A safe has a code of four different digits. {self.left} guesses, such as \\boxed{{0123}}.", {}
    def solution(self):
        return self.code
    def step(self, action):
        guess = action.removeprefix("\\boxed{").removesuffix("}").strip()
        self.left -= 1
        if guess == self.code:
            return "The safe opens.", 1.0, True, False, {}
        if len(guess) != 4 or len(set(guess)) != 4 or not guess.isdigit():
            return "Four different digits, please.", 0.0, False, self.left < 1, {}
        bulls = sum(a == b for a, b in zip(guess, self.code))
        cows = len(set(guess) & set(self.code)) - bulls
        return f"{bulls} bulls, {cows} cows.", 0.0, False, self.left < 1, {}
