import random

class TriageQueueEnv:
    """Call patients in order of urgency; among equals who came first goes first. New patients arrive meanwhile."""
    ILLS = {"sprain": 1, "fever": 2, "fracture": 3, "bleeding": 4, "stroke": 5}
    def reset(self, seed=None):
        self.draw = random.Random(seed)
        self.people = self.draw.sample(["Ito", "Kaur", "Lund", "Mora", "Nagy", "Okoye", "Pires", "Quinn", "Rossi"], 9)
        self.room, self.called = [], 0
        news = [self.arrive() for _ in range(3)]
        return "Waiting room: " + ", ".join(news) + ". Whom do you call?", {}
    def arrive(self):
        ill = self.draw.choice(sorted(self.ILLS))
        self.room.append((self.people.pop(), ill))
        return "%s with %s" % self.room[-1]
    def solution(self):
        return max(self.room, key=lambda p: self.ILLS[p[1]])[0]
    def step(self, action):
        name = action.split("{")[-1].rstrip("}").strip()
        if name != self.solution():
            return "The head nurse stops you.", -1.0, True, False, {}
        self.room = [p for p in self.room if p[0] != name]
        self.called += 1
        if self.called == 6:
            return "Your shift ends well.", 1.0, True, False, {}
        news = self.arrive() if self.people else "nobody"
        return f"{name} is treated. Arriving: {news}.", 0.0, False, False, {}
