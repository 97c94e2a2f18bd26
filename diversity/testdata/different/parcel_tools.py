import json
import random

class ParcelToolsEnv(ToolUseBaseEnv):
    """A customer asks which of three parcels is the heaviest. Weigh them with the tool and answer with the parcel's name."""
    def __init__(self, max_turns=8, **kwargs):
        self.max_turns = max_turns
        self._tools = {"weigh": {"description": "Weighs one parcel.", "parameters": {
            "type": "object", "properties": {"parcel": {"type": "string"}}, "required": ["parcel"]}}}
        super().__init__(max_turns=max_turns, **kwargs)
    def reset(self, seed=None):
        rng = random.Random(seed)
        names = rng.sample(["amber", "cobalt", "ivory", "jade", "umber"], 3)
        self._state = dict(zip(names, rng.sample(range(200, 4000), 3)))
        self._expected_answer = max(names, key=self._state.get)
        self.turn_count = 0
        return f"Parcels: {', '.join(names)}. Which one is the heaviest?", {}
    def tool_weigh(self, parcel):
        if parcel not in self._state:
            return json.dumps({"error": "no such parcel"})
        return json.dumps({"parcel": parcel, "grams": self._state[parcel]})
    def solution(self):
        calls = ["<tool_call>" + json.dumps({"name": "weigh", "arguments": {"parcel": p}}) + "</tool_call>" for p in sorted(self._state)]
        return "\n".join(calls + [f"<answer>{self._expected_answer}</answer>"])
