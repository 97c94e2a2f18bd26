import random


class DoubleToss:
    """Not the environment: what it keeps."""

    def __init__(self, draw):
        self.sides = [draw.choice(["heads", "tails"]) for _ in range(2)]


class TwoTossesEnv:
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.toss, self.turn = DoubleToss(draw), 0
        return f"Room {draw.randint(1, 9)}. First toss: heads or tails? \\boxed{{side}}", {}

    def solution(self):
        return self.toss.sides[min(self.turn, 1)]

    def step(self, action):
        if action.strip() != f"\\boxed{{{self.solution()}}}" or self.turn > 1:
            return "Lost.", 0.0, True, False, {}
        self.turn += 1
        if self.turn == 2:
            return "Both right.", 1.0, True, False, {}
        return "Right. Second toss?", 0.0, False, False, {}
