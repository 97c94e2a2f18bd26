"""A court has to say whose car it is, and what the losing buyer gets.

A car went from hand to hand. Each sale passes ownership only if the seller owned the car, the deed is genuine,
the price was paid and no pledge stood against it. The files tell all of that, but each of them tells one part,
and a witness who is related to a claimant may be wrong. The ruling names the owner and the exact sum.
"""
import random
import re

BOX = re.compile(r"\\boxed\{([^{}]*)\}")
PEOPLE = ["Amara", "Bruno", "Chiara", "Dmitri", "Elif", "Farid", "Greta", "Hiro", "Ines", "Jonas"]
MODELS = ["saloon", "estate", "coupe", "van", "roadster"]
STREETS = ["Mill Lane", "Harbour Road", "Station Street", "Abbey Walk", "Quarry Hill"]
MEANS = ["bank transfer", "cash", "cheque"]
FAULTS = ["deed", "price", "pledge"]


class Sale:
    """One sale in the chain, with everything that decides whether it passed ownership."""

    def __init__(self, seller, buyer, year, fault, draw):
        self.seller = seller
        self.buyer = buyer
        self.year = year
        self.price = draw.randint(41, 160) * 50
        self.means = draw.choice(MEANS)
        self.deed = draw.randint(1000, 9999)
        self.genuine = fault != "deed"
        self.paid_share = draw.choice([40, 60, 80]) if fault == "price" else 100
        self.pledged = fault == "pledge"

    def sound(self):
        """Whether the sale passes ownership, if the seller owned the car."""
        return self.genuine and self.paid_share == 100 and not self.pledged

    def paid(self):
        return self.price * self.paid_share // 100


class CarOwnershipDisputeEnv:
    SALES = 4
    SOURCES = ["registry", "notary", "bank", "pledges", "garage", "insurer", "neighbour", "police"]

    def __init__(self, max_turns=14, **kwargs):
        self.max_turns = max_turns
        self.reset()

    # The case.

    def reset(self, seed=None):
        draw = random.Random(seed)
        names = draw.sample(PEOPLE, self.SALES + 2)
        self.chain = names[: self.SALES + 1]
        self.neighbour = names[-1]
        self.model = draw.choice(MODELS)
        self.street = draw.choice(STREETS)
        self.frame = f"{draw.choice('KLMNP')}{draw.randint(10000, 99999)}"
        start = draw.randint(2009, 2014)
        first_fault = draw.randrange(self.SALES)
        self.sales = []
        for i, (seller, buyer) in enumerate(zip(self.chain, self.chain[1:])):
            fault = None
            if i == first_fault or (i > first_fault and draw.random() < 0.4):
                fault = draw.choice(FAULTS)
            self.sales.append(Sale(seller, buyer, start + 2 * i, fault, draw))
        self.holder = self.chain[-1]
        self.repairs = draw.randint(11, 79) * 10
        self.repair_bill = draw.randint(100, 999)
        self.repairs_needed = draw.random() < 0.6
        self.months = draw.randint(3, 12)
        self.rent = draw.randint(4, 9) * 5
        self.damage = draw.choice([0, 0, 120, 240, 360])
        self.damage_by_holder = draw.random() < 0.5
        self.friend = draw.choice(self.chain)
        self.asked = set()
        self.turn = 0
        self.done = False
        return (
            f"Case of the {self.model} with frame number {self.frame}. Claimants: "
            f"{', '.join(sorted(self.chain))}. {self.holder} has the car. Find the owner and what the owner has to "
            f"pay to {self.holder} when the car goes back.\n"
            "The law: a sale passes ownership only if its seller was the owner at that time, its deed is genuine, "
            "the price was paid in full and no pledge stood against the car. The sum is what the holder really "
            "paid for the car, plus the repairs if they were needed, minus the use of the car (the rent of every "
            "month in the holder's hands), minus damage that the holder did; never below 0.\n"
            "Evidence, one source a turn: \\boxed{ask SOURCE} with SOURCE among "
            f"{', '.join(self.SOURCES)}. Ruling, once: \\boxed{{rule NAME SUM}}. You have {self.max_turns} turns."
        ), {}

    def owner(self):
        """Who owns the car: ownership walks down the chain as long as the sales are sound."""
        owner = self.chain[0]
        for sale in self.sales:
            if sale.seller == owner and sale.sound():
                owner = sale.buyer
        return owner

    def compensation(self):
        """What the owner owes the holder, who never is the owner himself: at least one sale is faulty."""
        total = self.sales[-1].paid() - self.months * self.rent
        if self.repairs_needed:
            total += self.repairs
        if self.damage_by_holder:
            total -= self.damage
        return max(0, total)

    # The sources. Each knows one part of the case.

    def ask_registry(self):
        lines = [f"{s.year}: from {s.seller} to {s.buyer}, deed {s.deed}" for s in self.sales]
        return "The registry enters what it is shown: " + "; ".join(lines) + "."

    def ask_notary(self):
        known = [str(s.deed) for s in self.sales if s.genuine]
        return "Deeds that the notary remembers signing: " + (", ".join(known) or "none") + "."

    def ask_bank(self):
        lines = [f"deed {s.deed}: price {s.price}, received {s.paid()} by {s.means}" for s in self.sales]
        return "Payments: " + "; ".join(lines) + "."

    def ask_pledges(self):
        lines = [f"in {s.year} a lender held the car as security from {s.seller}" for s in self.sales if s.pledged]
        return "Register of pledges: " + ("; ".join(lines) or "no entry") + "."

    def ask_garage(self):
        verdict = "the car could not have been driven without them"
        if not self.repairs_needed:
            verdict = "they were for looks only"
        return f"Bill {self.repair_bill} to {self.holder}: repairs for {self.repairs}; {verdict}."

    def ask_insurer(self):
        return (
            f"{self.holder} insured the {self.model} for {self.months} months, up to today. A like car rents for "
            f"{self.rent} a month."
        )

    def ask_neighbour(self):
        return (
            f"{self.neighbour} of {self.street}: 'I am an old friend of {self.friend}. If you ask me, the car "
            f"belongs to {self.friend}.'"
        )

    def ask_police(self):
        if self.damage == 0:
            return "No accident on record."
        who = self.holder if self.damage_by_holder else "a stranger who drove off"
        return f"A dent, put at {self.damage}, done by {who}."

    # The court.

    def ask(self, source):
        if source not in self.SOURCES:
            return "There is no such source. Sources: " + ", ".join(self.SOURCES) + "."
        again = "On record already. " if source in self.asked else ""
        self.asked.add(source)
        return again + getattr(self, "ask_" + source)()

    def step(self, action):
        if self.done:
            return "The case is closed.", 0.0, True, False, {}
        self.turn += 1
        found = BOX.search(action)
        words = found.group(1).split() if found else []
        told = "Ask a source, or rule once: one action in a box."
        if len(words) == 3 and words[0] == "rule" and re.fullmatch(r"\d{1,6}", words[2]):
            self.done = True
            right = words[1] == self.owner() and int(words[2]) == self.compensation()
            told = "The ruling stands." if right else "The ruling is overturned on appeal."
            return told, float(right), True, False, {}
        if len(words) == 2 and words[0] == "ask":
            told = self.ask(words[1])
        if self.turn >= self.max_turns:
            self.done = True
            return told + " The term of the court is over.", 0.0, False, True, {}
        return f"{told} Turns left: {self.max_turns - self.turn}.", 0.0, False, False, {}

    def solution(self):
        return f"rule {self.owner()} {self.compensation()}"
