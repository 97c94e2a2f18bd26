from __future__ import annotations

import enum
import random
import re
from dataclasses import dataclass, field


class Valve(enum.Enum):
    OPEN = "open"
    SHUT = "shut"


@dataclass
class Tank:
    level: int
    valves: dict[str, Valve] = field(default_factory=dict)


class TankFarmEnv:
    """State in dataclasses and enums, actions by pattern matching."""

    def __init__(self, max_turns: int = 9, **kwargs) -> None:
        self.max_turns = max_turns
        self.reset()

    def reset(self, seed: int | None = None) -> tuple[str, dict]:
        draw = random.Random(seed)
        self.turn = 0
        self.tank = Tank(draw.randint(20, 40), {name: draw.choice(list(Valve)) for name in "abc"})
        self.flow = {name: draw.choice([-3, -2, 2, 3]) for name in "abc"}
        self.goal = self.tank.level + 2 * draw.choice([-3, -2, 2, 3])
        return "Bring the tank to its level. " + self.view(), {}

    def view(self) -> str:
        valves = ", ".join(f"{name} {valve.value} ({self.flow[name]:+d} an opening)" for name, valve in self.tank.valves.items())
        return f"Level {self.tank.level}, wanted {self.goal}. Valves: {valves}. \\boxed{{open x}} or \\boxed{{shut x}} or \\boxed{{pulse x n}}"

    def solution(self) -> str:
        missing = self.goal - self.tank.level
        for name, flow in self.flow.items():
            if missing % flow == 0 and missing // flow > 0:
                return f"pulse {name} {missing // flow}"
        name = max("abc", key=lambda n: self.flow[n] * (1 if missing > 0 else -1))
        if self.flow[name] * missing > 0 and abs(self.flow[name]) <= abs(missing):
            return f"pulse {name} 1"
        name = min("abc", key=lambda n: abs(self.flow[n]))
        return f"pulse {name} 1"

    def step(self, action: str):
        self.turn += 1
        found = re.search(r"\\boxed\{([^{}]*)\}", action)
        match found.group(1).split() if found else []:
            case [("open" | "shut") as verb, ("a" | "b" | "c") as name]:
                self.tank.valves[name] = Valve(verb)
            case ["pulse", ("a" | "b" | "c") as name, number] if number.isdecimal() and len(number) < 4:
                self.tank.level += self.flow[name] * int(number)
            case _:
                return "That is no order. " + self.view(), 0.0, False, self.turn >= self.max_turns, {}
        if self.tank.level == self.goal:
            return "The level is right.", 1.0, True, False, {}
        return self.view(), 0.0, False, self.turn >= self.max_turns, {}
