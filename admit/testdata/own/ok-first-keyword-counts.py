import random


class HedgeMazeEnv:
    """A text game as people write them: the first direction that is named counts."""
    STEPS = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}

    def __init__(self, max_turns=10, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.x, self.y, self.turn = 0, 0, 0
        self.goal = draw.choice([(3, 1), (-2, 2), (1, -3), (-3, -1), (2, 2), (0, 4)])
        return "You stand at 0, 0. Go north, south, east or west with \\boxed{direction}. " + self.where(), {}

    def where(self):
        return f"The fountain is {self.goal[0] - self.x} east and {self.goal[1] - self.y} north of you."

    def solution(self):
        if self.goal[0] != self.x:
            return "east" if self.goal[0] > self.x else "west"
        return "north" if self.goal[1] > self.y else "south"

    def step(self, action):
        self.turn += 1
        for name, (dx, dy) in self.STEPS.items():
            if name in action.lower():
                self.x, self.y = self.x + dx, self.y + dy
                break
        if (self.x, self.y) == self.goal:
            return "You are there.", 1.0, True, False, {}
        return self.where(), 0.0, False, self.turn >= self.max_turns, {}
