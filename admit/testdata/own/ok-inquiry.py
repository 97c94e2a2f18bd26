import random
import re


class LostKeyEnv:
    """Every episode opens with the same words; what is hidden has to be asked for."""
    ROOMS = ["attic", "cellar", "kitchen", "study", "garage", "pantry"]

    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn = 0
        self.order = draw.sample(self.ROOMS, len(self.ROOMS))
        self.room = draw.choice(self.order)
        return ("The key lies in one room: attic, cellar, kitchen, study, garage or pantry. "
                "\\boxed{ask room} tells whether it is before or after it in the order of the house plan, "
                "\\boxed{plan} shows that order, \\boxed{take room} ends the search."), {}

    def solution(self):
        return f"take {self.room}"

    def step(self, action):
        self.turn += 1
        found = re.search(r"\\boxed\{\s*(ask|take|plan)\s*(\w*)\s*\}", action)
        over = self.turn >= self.max_turns
        if not found:
            return "ask, plan or take.", 0.0, False, over, {}
        verb, room = found.groups()
        if verb == "plan":
            return "Order: " + ", ".join(self.order), 0.0, False, over, {}
        if room not in self.ROOMS:
            return "There is no such room.", 0.0, False, over, {}
        if verb == "take":
            won = room == self.room
            return ("There it is." if won else "Nothing there."), float(won), True, False, {}
        before = self.order.index(self.room) < self.order.index(room)
        return ("Before it." if before else "Not before it."), 0.0, False, over, {}
