import random
import heapq

class StockOrdersEnv:
    """You run an order book by hand. For every sell order say at what price the best waiting bid is, and how many
    shares are traded with it."""
    def reset(self, seed=None):
        rnd = random.Random(seed)
        self.book = [(-rnd.randint(90, 110), i, rnd.randint(1, 9) * 10) for i in range(5)]
        heapq.heapify(self.book)
        self.sales = [rnd.randint(1, 9) * 10 for _ in range(3)]
        bids = "; ".join(f"{n} shares at {-p}" for p, _, n in sorted(self.book, key=lambda b: b[1]))
        return f"Bids in order of arrival: {bids}. {self.offer()}", {}
    def offer(self):
        return f"Somebody sells {self.sales[0]}. PRICE x SHARES with the best bid?"
    def trade(self):
        price, _, shares = self.book[0]
        return -price, min(shares, self.sales[0])
    def solution(self):
        return "{} x {}".format(*self.trade())
    def step(self, action):
        if "".join(action.split()) != "\\boxed{%dx%d}" % self.trade():
            return "The exchange fines you.", -1.0, True, False, {}
        price, order, shares = heapq.heappop(self.book)
        sold = min(shares, self.sales.pop(0))
        if shares > sold:
            heapq.heappush(self.book, (price, order, shares - sold))
        if self.sales:
            return "Traded; the rest of the sale is cancelled. " + self.offer(), 0.0, False, False, {}
        return "The bell rings.", 1.0, True, False, {}
