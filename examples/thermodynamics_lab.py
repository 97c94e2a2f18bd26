"""A gas laboratory: drive a sealed gas through heating, expansion and cooling so that its entropy ends
where it began.

The gas is ideal: S = n*cv*ln(T) + n*R*ln(V) up to a constant. Its amount, its heat capacity, the losses of
the heater, the strength of the cooler, the leak to the room and the zero error of the entropy meter are
hidden and differ from seed to seed; all of them can be found by experiment.
"""
import math
import random
import re

R = 8.314  # J/(mol K)
TOLERANCE = 0.4  # J/K
BOX = re.compile(r"\\boxed\{([^{}]*)\}")
NUMBER = re.compile(r"\d{1,4}(\.\d{1,4})?")


class ThermodynamicsLabEnv:
    MAX_HEAT = 15.0  # kJ in one action
    MAX_COOL = 20.0  # units of coolant in one action
    MAX_RATIO = 3.0  # of volumes in one action
    MEASUREMENTS = 3

    def __init__(self, max_turns=12, **kwargs):
        self.max_turns = max_turns
        self.reset()

    # The apparatus.

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.amount = round(draw.uniform(1.5, 3.5), 2)  # mol
        self.heat_capacity = draw.choice([1.5, 2.5, 3.0]) * R  # J/(mol K), by the kind of the gas
        self.room = float(draw.randint(285, 305))  # K
        self.temperature = self.room
        self.volume = round(draw.uniform(8.0, 16.0), 1)  # litres
        self.start_temperature = self.temperature
        self.start_volume = self.volume
        self.heater_efficiency = round(draw.uniform(0.55, 0.95), 2)
        self.coolant = round(draw.uniform(500.0, 1000.0), 1)  # J taken per unit
        self.leak = round(draw.uniform(0.01, 0.04), 3)  # share of the excess over the room lost a turn
        self.meter_zero = round(draw.choice([-1, 1]) * draw.uniform(2.0, 9.0), 2)  # J/K
        self.least_rise = draw.randint(70, 110)  # K above the room, to count as heated
        self.least_ratio = round(draw.uniform(1.4, 1.9), 2)  # of volumes, to count as expanded
        self.peak = self.temperature
        self.heated = self.expanded = self.cooled = False
        self.measurements = self.MEASUREMENTS
        self.turn = 0
        self.done = False
        return (
            "A cylinder of unknown ideal gas stands at room temperature. Take it through one cycle: heat it, "
            "expand it at constant temperature, cool it, and end with a net entropy change of zero (within "
            f"{TOLERANCE} J/K). The cycle closes by itself as soon as that holds after all three. "
            f"The gas must rise at least {self.least_rise} K above the room and grow to at least "
            f"{self.least_ratio} times its first volume.\n"
            "Actions, one a turn: \\boxed{scan} reads thermometer, volume and pressure; \\boxed{heat Q} puts Q "
            f"kJ (up to {self.MAX_HEAT:g}) through the heater; \\boxed{{expand F}} multiplies the volume by F "
            f"(1 to {self.MAX_RATIO:g}); \\boxed{{cool U}} spends U units of coolant (up to {self.MAX_COOL:g}); "
            f"\\boxed{{measure}} reads the entropy meter ({self.MEASUREMENTS} readings). "
            f"You have {self.max_turns} turns."
        ), {}

    def entropy_change(self):
        """Net entropy change of the gas since the start, in J/K."""
        by_heat = self.heat_capacity * math.log(self.temperature / self.start_temperature)
        by_volume = R * math.log(self.volume / self.start_volume)
        return self.amount * (by_heat + by_volume)

    def closed(self):
        """Whether the cycle is complete and its net entropy change vanishes."""
        complete = self.heated and self.expanded and self.cooled
        return complete and abs(self.entropy_change()) <= TOLERANCE

    def capacity(self):
        """Heat capacity of the whole gas at constant volume, in J/K."""
        return self.amount * self.heat_capacity

    # One method an action; each returns what the agent reads.

    def scan(self):
        pressure = self.amount * R * self.temperature / self.volume  # kPa, as volumes are in litres
        return f"Thermometer {self.temperature:.1f} K, volume {self.volume:.2f} l, pressure {pressure:.1f} kPa."

    def measure(self):
        if self.measurements == 0:
            return "The entropy meter is spent."
        self.measurements -= 1
        reading = self.entropy_change() + self.meter_zero
        return f"The entropy meter reads {reading:+.2f} J/K. Readings left: {self.measurements}."

    def heat(self, kilojoules):
        if not 0 < kilojoules <= self.MAX_HEAT:
            return f"The heater takes more than 0 and at most {self.MAX_HEAT:g} kJ."
        self.temperature += self.heater_efficiency * kilojoules * 1000 / self.capacity()
        self.peak = max(self.peak, self.temperature)
        self.heated = self.peak - self.room >= self.least_rise
        return "The heater ticks; the gas is warmer." + ("" if self.heated else " Not yet hot enough to count.")

    def expand(self, ratio):
        if not 1 < ratio <= self.MAX_RATIO:
            return f"The piston takes a factor above 1 and at most {self.MAX_RATIO:g}."
        self.volume *= ratio
        self.expanded = self.volume / self.start_volume >= self.least_ratio
        return "The piston slides out." + ("" if self.expanded else " Not yet far enough to count.")

    def cool(self, units):
        if not 0 < units <= self.MAX_COOL:
            return f"The cooler takes more than 0 and at most {self.MAX_COOL:g} units."
        self.temperature = max(60.0, self.temperature - units * self.coolant / self.capacity())
        self.cooled = self.cooled or (self.heated and self.expanded)
        return "Coolant runs through the jacket; the gas is colder."

    def act(self, text):
        words = text.lower().split()
        if words in (["scan"], ["measure"]):
            return self.scan() if words[0] == "scan" else self.measure()
        if len(words) == 2 and words[0] in ("heat", "expand", "cool") and NUMBER.fullmatch(words[1]):
            action = {"heat": self.heat, "expand": self.expand, "cool": self.cool}[words[0]]
            return action(float(words[1]))
        return "Actions: scan, heat Q, expand F, cool U, measure; one in a box."

    def drift(self):
        """What the leak to the room does to the gas in one turn."""
        self.temperature += self.leak * (self.room - self.temperature)

    def step(self, action):
        if self.done:
            return "The experiment is over.", 0.0, True, False, {}
        self.turn += 1
        found = BOX.search(action)
        told = self.act(found.group(1)) if found else "Put one action into \\boxed{}."
        if self.closed():
            self.done = True
            return told + " The net entropy change is zero: the cycle is closed.", 1.0, True, False, {}
        self.drift()
        if self.turn >= self.max_turns:
            self.done = True
            return told + " The laboratory closes.", 0.0, False, True, {}
        return f"{told} Turns left: {self.max_turns - self.turn}.", 0.0, False, False, {}

    # A witness: what somebody who knows the hidden state does next.

    def solution(self):
        if not self.heated:
            missing = (self.least_rise + 15 - (self.temperature - self.room)) * self.capacity()
            return f"heat {min(self.MAX_HEAT, max(0.1, missing / self.heater_efficiency / 1000)):.3f}"
        if not self.expanded:
            ratio = 1.05 * self.least_ratio * self.start_volume / self.volume
            return f"expand {min(self.MAX_RATIO, ratio):.3f}"
        target = self.start_temperature * (self.start_volume / self.volume) ** (R / self.heat_capacity)
        surplus = (self.temperature - target) * self.capacity() / self.coolant
        return f"cool {min(self.MAX_COOL, max(0.01, surplus)):.3f}"
