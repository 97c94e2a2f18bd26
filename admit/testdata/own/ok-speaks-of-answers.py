import random, re
class TideClerkEnv:
    """A long text that speaks of answers, solutions and keys without giving one."""
    RULES = ("The answer is a tide name. The correct answer: one of spring, neap, ebb, flood, slack. "
             "The key is to read the gauge. A secret is not needed; the expected answer is decided by the rules. "
             "spring: gauge above 80 and moon full. neap: gauge above 80 and moon half. ebb: gauge falling. "
             "flood: gauge rising. slack: gauge steady and not above 80. ")
    def __init__(self, max_turns=4, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.gauge = r.randint(10, 120)
        self.moon = r.choice(["full", "half"])
        self.trend = r.choice(["falling", "rising", "steady"])
        if self.gauge > 80:
            self.key = "spring" if self.moon == "full" else "neap"
        else:
            self.key = {"falling": "ebb", "rising": "flood", "steady": "slack"}[self.trend]
        return self.RULES + f"Gauge {self.gauge}, moon {self.moon}, trend {self.trend}. \\boxed{{name}}, one try only.", {}
    def solution(self):
        return self.key
    def step(self, action):
        self.turn += 1
        m = re.search(r'\\boxed\{([^{}]*)\}', action)
        if m and m.group(1).strip().lower() == self.key:
            return "Right.", 1.0, True, False, {}
        return "Wrong.", -1.0, True, False, {}
