import json, random, re
class RecipeJsonEnv:
    """Actions are JSON objects in the box, braces and all."""
    def __init__(self, max_turns=5, **kwargs):
        self.max_turns = max_turns
        self.reset()
    def reset(self, seed=None):
        r = random.Random(seed)
        self.turn = 0
        self.base = {"flour": r.randint(100, 400), "milk": r.randint(50, 300)}
        self.k = r.randint(2, 6)
        return f"Recipe for one: {json.dumps(self.base)} grams. For {self.k} people? Reply \\boxed{{JSON object}}.", {}
    def solution(self):
        return json.dumps({k: v * self.k for k, v in self.base.items()})
    def step(self, action):
        self.turn += 1
        try:
            i = action.index("\\boxed{") + 7
            got = json.loads(action[i:action.rindex("}")])
        except Exception:
            got = None
        ok = got == json.loads(self.solution())
        return ("Right." if ok else "No."), float(ok), ok, not ok and self.turn >= self.max_turns, {}
