import random

class TrainShuntingEnv:
    """Sort wagons with one siding, which is a stack: in moves the next wagon to the siding, out sends the siding's last
    wagon off. Wagons have to leave in the order of their numbers."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        track, leave, stack = [], list(range(1, 8)), []
        while len(track) < 7 or stack:
            if len(track) < 7 and (not stack or rng.random() < 0.5):
                track.append(None)
                stack.append(len(track) - 1)
            else:
                track[stack.pop()] = leave.pop(0)
        self.track, self.siding, self.next = track, [], 1
        return f"Wagons in arrival order: {self.track}. in or out?", {}
    def solution(self):
        return "out" if self.siding and self.siding[-1] == self.next else "in"
    def step(self, action):
        move = action.replace("\\boxed", "").strip("{} ")
        if move == "in" and self.track:
            self.siding.append(self.track.pop(0))
        elif move == "out" and self.siding and self.siding[-1] == self.next:
            self.siding.pop()
            self.next += 1
        else:
            return "Wagons collide.", -1.0, True, False, {}
        if self.next == 8:
            return "The train is in order.", 1.0, True, False, {}
        return f"Coming {self.track}, siding {self.siding}.", 0.0, False, False, {}
