import random
from collections import deque

class BusTransfersEnv:
    """Plan a bus trip with as few buses as possible. Lines are given by their stops and run both ways."""
    def reset(self, seed=None):
        rng = random.Random(seed)
        stops = ["Mill", "Port", "Zoo", "Hill", "Dome", "Park", "Quay", "Gate", "Farm"]
        while True:
            self.lines = {str(n): rng.sample(stops, 3) for n in rng.sample(range(1, 30), 6)}
            self.start, self.end = rng.sample(stops, 2)
            self.plan = self.search()
            if self.plan and len(self.plan) == 3:
                break
        table = "; ".join(f"{n}: {'-'.join(s)}" for n, s in sorted(self.lines.items()))
        return f"{table}. From {self.start} to {self.end}: which lines, in order, with spaces?", {}
    def search(self):
        queue, seen = deque([(self.start, [])]), {self.start}
        while queue:
            place, used = queue.popleft()
            if place == self.end:
                return used
            for n, stops in sorted(self.lines.items()):
                for other in stops if place in stops else ():
                    if other not in seen:
                        seen.add(other)
                        queue.append((other, used + [n]))
    def solution(self):
        return " ".join(self.plan)
    def step(self, action):
        reach = {self.start}
        ride = action[7:-1].split()
        for n in ride:
            reach = {o for s in self.lines.values() if s is self.lines.get(n) and reach & set(s) for o in s}
        if self.end in reach and len(ride) == len(self.plan):
            return "You arrive in time.", 1.0, True, False, {}
        return "You walk home.", 0.0, True, False, {}
