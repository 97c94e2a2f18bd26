"""A maze that turns under the player's hands: after every few steps the controls rotate by a hidden angle."""
import random
import re
from collections import deque

BOX = re.compile(r"\\boxed\{([^{}]*)\}")
NAMES = ["up", "right", "down", "left"]
MOVES = [(-1, 0), (0, 1), (1, 0), (0, -1)]


class RotatingMazeEnv:
    SIDE = 6

    def __init__(self, max_turns=24, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.doors = self.carve(draw)
        self.place = (draw.randrange(self.SIDE), draw.randrange(self.SIDE))
        far = self.distances(self.place)
        reachable = [cell for cell, steps in sorted(far.items()) if 8 <= steps <= 14]
        self.goal = draw.choice(reachable or [max(sorted(far), key=far.get)])
        self.period = draw.choice([2, 3, 4])  # steps between two rotations
        self.quarter = draw.choice([1, 2, 3])  # quarter turns at each rotation
        self.facing = draw.randrange(4)
        self.turn = 0
        self.done = False
        return (
            f"You stand in a maze of {self.SIDE} by {self.SIDE} cells, at row {self.place[0]}, column "
            f"{self.place[1]}; the way out is at row {self.goal[0]}, column {self.goal[1]}. Rows count downwards "
            "and columns to the right on the map, but your screen is turned against the map, and it turns "
            "further after every few steps. Walk with \\boxed{up}, \\boxed{right}, \\boxed{down} or "
            f"\\boxed{{left}} as your screen has it. You have {self.max_turns} turns.\n" + self.view()
        ), {}

    def carve(self, draw):
        """A spanning tree by a random walk with backtracking, plus a few more doors so that there are loops."""
        cells = [(row, column) for row in range(self.SIDE) for column in range(self.SIDE)]
        doors, trail, seen = set(), [cells[0]], {cells[0]}
        while trail:
            fresh = [n for n in self.neighbours(trail[-1]) if n not in seen]
            if not fresh:
                trail.pop()
                continue
            chosen = draw.choice(fresh)
            doors.add(frozenset((trail[-1], chosen)))
            seen.add(chosen)
            trail.append(chosen)
        for _ in range(3):
            cell = draw.choice(cells)
            doors.add(frozenset((cell, draw.choice(self.neighbours(cell)))))
        return doors

    def neighbours(self, cell):
        around = [(cell[0] + dr, cell[1] + dc) for dr, dc in MOVES]
        return [(r, c) for r, c in around if 0 <= r < self.SIDE and 0 <= c < self.SIDE]

    def distances(self, start):
        """Steps from start to every cell."""
        steps, queue = {start: 0}, deque([start])
        while queue:
            cell = queue.popleft()
            for other in self.neighbours(cell):
                if other not in steps and frozenset((cell, other)) in self.doors:
                    steps[other] = steps[cell] + 1
                    queue.append(other)
        return steps

    def ahead(self, key):
        """The cell that the screen direction key points at now."""
        dr, dc = MOVES[(key + self.facing) % 4]
        return (self.place[0] + dr, self.place[1] + dc)

    def open(self, key):
        return frozenset((self.place, self.ahead(key))) in self.doors

    def view(self):
        ways = [name for key, name in enumerate(NAMES) if self.open(key)]
        return f"You are at row {self.place[0]}, column {self.place[1]}. Open on your screen: {', '.join(ways)}."

    def walk(self, word):
        if word not in NAMES:
            return "Walk up, right, down or left."
        key = NAMES.index(word)
        if not self.open(key):
            return "You bump into a wall."
        self.place = self.ahead(key)
        return "You walk."

    def step(self, action):
        if self.done:
            return "The maze is closed.", 0.0, True, False, {}
        self.turn += 1
        found = BOX.search(action)
        told = self.walk(found.group(1).strip().lower()) if found else "Put one direction into \\boxed{}."
        if self.place == self.goal:
            self.done = True
            return told + " You are out.", 1.0, True, False, {}
        if self.turn % self.period == 0:
            self.facing = (self.facing + self.quarter) % 4
        if self.turn >= self.max_turns:
            self.done = True
            return told + " The lights go out.", 0.0, False, True, {}
        return f"{told} {self.view()} Turns left: {self.max_turns - self.turn}.", 0.0, False, False, {}

    def solution(self):
        left = self.distances(self.goal)
        ways = [key for key in range(4) if self.open(key)]
        return NAMES[min(ways, key=lambda key: left[self.ahead(key)])]
