import random
import datetime

class LibraryReturnsEnv:
    """Fines: 20 cents for each day after the due date, Sundays free, never more than the price of the book."""
    def reset(self, seed=None):
        r = random.Random(seed)
        self.cards = []
        for title in r.sample(["Emma", "Dune", "Ulysses", "Walden", "Beloved", "Hamlet"], 4):
            due = datetime.date(2024, r.randint(1, 11), r.randint(1, 28))
            self.cards.append((title, due, due + datetime.timedelta(days=r.randint(3, 60)), r.randint(3, 12)))
        return self.show(), {}
    def show(self):
        title, due, back, price = self.cards[-1]
        return f"{title}: due {due}, {due:%A}, back {back}, price {price}.00. Fine in cents?"
    def fine(self):
        _, due, back, price = self.cards[-1]
        late = [due + datetime.timedelta(days=d + 1) for d in range((back - due).days)]
        return min(price * 100, 20 * sum(day.weekday() != 6 for day in late))
    solution = lambda self: str(self.fine())
    def step(self, action):
        if action != f"\\boxed{{{self.fine()}}}":
            return "The reader complains.", 0.0, True, False, {}
        self.cards.pop()
        if self.cards:
            return "Paid. " + self.show(), 0.1, False, False, {}
        return "The desk is empty.", 1.0, True, False, {}
