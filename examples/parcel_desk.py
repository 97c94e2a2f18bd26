"""A parcel desk: a clerk with tools serves one customer whose wishes arrive one after another.

Each wish has to be carried out in the depot before the clerk reports it done and hears the next one; the last one
asks for a number that only the finished depot gives. Parcels, shelves, tariffs and balances are hidden behind the tools.
"""
import json
import random

CITIES = ["Arles", "Bergen", "Cadiz", "Delft", "Essen", "Faro", "Ghent"]
NAMES = ["Okafor", "Lindqvist", "Moreau", "Tanaka", "Petrov", "Silva", "Novak", "Haddad"]
CONTENTS = ["books", "glass", "tools", "seeds", "lamps", "cloth"]


def text_parameters(*names):
    """JSON schema of a tool whose parameters are all strings."""
    return {
        "type": "object",
        "properties": {name: {"type": "string"} for name in names},
        "required": list(names),
    }


class ParcelDeskEnv(ToolUseBaseEnv):
    def __init__(self, max_turns=20, **kwargs):
        super().__init__(max_turns=max_turns, **kwargs)
        self.reset()

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn_count = 0
        self._call_history = []
        self._current_msg = 0
        self._state = self.depot(draw)
        self._customer, self._other = draw.sample(NAMES, 2)
        self._mine = draw.sample(sorted(self._state["parcels"]), 3)
        for number, parcel in self._state["parcels"].items():
            parcel["sender"] = self._customer if number in self._mine else self._other
        # The three parcels of the customer differ in contents, so that a wish can name one by them.
        for number, contents in zip(self._mine, draw.sample(CONTENTS, 3)):
            self._state["parcels"][number]["contents"] = contents
        self._fragile, self._late, self._lost = self._mine
        self._state["parcels"][self._late]["paid"] = False
        self._state["parcels"][self._lost]["held"] = True
        home = self._state["parcels"][self._fragile]["city"]
        self._city = draw.choice([city for city in CITIES if city != home])
        self._tools = {
            "find_parcels": {
                "description": "Numbers of the parcels that a sender has in the depot",
                "parameters": text_parameters("sender"),
            },
            "read_label": {"description": "The label of one parcel", "parameters": text_parameters("parcel")},
            "weigh": {"description": "The weight of one parcel in kg", "parameters": text_parameters("parcel")},
            "read_tariff": {"description": "The price per kg to a city", "parameters": text_parameters("city")},
            "readdress": {
                "description": "Send a parcel to another city",
                "parameters": text_parameters("parcel", "city"),
            },
            "release": {"description": "Lift the hold on a parcel", "parameters": text_parameters("parcel")},
            "take_payment": {
                "description": "Book the payment of a parcel; the amount is weight times the tariff of its city",
                "parameters": text_parameters("parcel", "amount"),
            },
        }
        self._user_messages = [
            f"I am {self._customer}. My parcel with {self.contents(self._fragile)} has to go to {self._city} now.",
            f"Good. The one with {self.contents(self._late)} is not paid yet; please take the payment.",
            "And one of my parcels is on hold. Please release it.",
            "Last: what do my three parcels cost in all, to the cities they go to now? "
            "Submit the sum as a plain number in <answer>.",
        ]
        self._message_criteria = [self._is_readdressed, self._is_paid, self._is_released]
        self._expected_answer = str(sum(self.price(n, self.destination(n)) for n in self._mine))
        tools = [f"{name}({', '.join(tool['parameters']['required'])})" for name, tool in self._tools.items()]
        return (
            "You serve at a parcel desk. Carry out each wish of the customer with the tools, then report "
            "<answer>done</answer> to hear the next one. A wish that is reported but not done loses the customer.\n"
            f"Tools: {', '.join(tools)}.\n{self._user_messages[0]}"
        ), {}

    def depot(self, draw):
        """A fresh depot: parcels by number, and the tariff of each city."""
        numbers = [f"P{n}" for n in draw.sample(range(100, 1000), 9)]
        parcels = {
            number: {
                "city": draw.choice(CITIES),
                "contents": draw.choice(CONTENTS),
                "kg": draw.randint(2, 38),
                "shelf": draw.randint(1, 12),
                "paid": True,
                "held": False,
            }
            for number in numbers
        }
        return {"parcels": parcels, "tariffs": {city: draw.randint(3, 19) for city in CITIES}}

    # What the wishes mean.

    def contents(self, number):
        return self._state["parcels"][number]["contents"]

    def destination(self, number):
        """Where a parcel goes in the end."""
        return self._city if number == self._fragile else self._state["parcels"][number]["city"]

    def price(self, number, city):
        return self._state["parcels"][number]["kg"] * self._state["tariffs"][city]

    def _is_readdressed(self):
        return self._state["parcels"][self._fragile]["city"] == self._city

    def _is_paid(self):
        return self._state["parcels"][self._late]["paid"]

    def _is_released(self):
        return not self._state["parcels"][self._lost]["held"]

    # Tools.

    def tool_find_parcels(self, sender):
        found = [n for n, parcel in sorted(self._state["parcels"].items()) if parcel["sender"] == sender]
        return ", ".join(found) or f"no parcels of {sender}"

    def tool_read_label(self, parcel):
        label = self._state["parcels"].get(parcel)
        if label is None:
            return f"no parcel {parcel}"
        notes = ("" if label["paid"] else ", not paid") + (", on hold" if label["held"] else "")
        return f"{parcel}: {label['contents']} to {label['city']}, shelf {label['shelf']}{notes}"

    def tool_weigh(self, parcel):
        label = self._state["parcels"].get(parcel)
        return f"no parcel {parcel}" if label is None else f"{label['kg']} kg"

    def tool_read_tariff(self, city):
        tariff = self._state["tariffs"].get(city)
        return f"no tariff to {city}" if tariff is None else f"{tariff} per kg"

    def tool_readdress(self, parcel, city):
        label = self._state["parcels"].get(parcel)
        if label is None or city not in self._state["tariffs"]:
            return "no such parcel or city"
        if label["sender"] != self._customer:
            return f"{parcel} is not a parcel of {self._customer}"
        label["city"] = city
        return f"{parcel} now goes to {city}"

    def tool_release(self, parcel):
        label = self._state["parcels"].get(parcel)
        if label is None or not label["held"]:
            return "no hold on such a parcel"
        label["held"] = False
        return f"{parcel} is released"

    def tool_take_payment(self, parcel, amount):
        label = self._state["parcels"].get(parcel)
        if label is None or label["paid"]:
            return "nothing to pay for such a parcel"
        if str(amount) != str(self.price(parcel, label["city"])):
            return "that is not weight times tariff"
        label["paid"] = True
        return f"{parcel} is paid"

    def solution(self):
        def call(name, **arguments):
            return "<tool_call>" + json.dumps({"name": name, "arguments": arguments}) + "</tool_call>"

        amount = self.price(self._late, self.destination(self._late))
        done = "<answer>done</answer>"
        return "\n".join([
            call("readdress", parcel=self._fragile, city=self._city),
            done,
            call("take_payment", parcel=self._late, amount=str(amount)),
            done,
            call("release", parcel=self._lost),
            done,
            f"<answer>{self._expected_answer}</answer>",
        ])
