import random
import re


class RopeWalkEnv:
    """One error ends it, and every answer can be worked out."""

    def __init__(self, max_turns=6, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        self.draw = random.Random(seed)
        self.turn = 0
        return "Say on which side the heavier weight hangs. " + self.question(), {}

    def question(self):
        self.left, self.right = self.draw.sample(range(1, 6), 2)
        return f"{self.left} on the left, {self.right} on the right. \\boxed{{left}} or \\boxed{{right}}"

    def solution(self):
        return "left" if self.left > self.right else "right"

    def step(self, action):
        self.turn += 1
        found = re.search(r"\\boxed\{([^{}]*)\}", action)
        if not found or found.group(1).strip() != self.solution():
            return "You fall.", -1.0, True, False, {}
        if self.turn == 3:
            return "Across.", 1.0, True, False, {}
        return self.question(), 0.0, False, False, {}
