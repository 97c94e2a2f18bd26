import json
class FlightEnv(ToolUseBaseEnv):
    """Everything by the base class: tools, state and answer."""
    def __init__(self, max_turns=10, **kwargs):
        super().__init__(max_turns=max_turns, **kwargs)
    def reset(self, seed=None):
        r = random.Random(seed)
        cities = ["Oslo", "Bergen", "Tromso", "Bodo"]
        self._state = {"fares": {c: r.randint(100, 999) for c in cities}}
        self._tools = {"fare": {"description": "Fare to a city.", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}}
        self.cheap = min(cities, key=lambda c: self._state["fares"][c])
        self._expected_answer = f"{self.cheap} {self._state['fares'][self.cheap]}"
        self._turn = 0
        return "Which of Oslo, Bergen, Tromso, Bodo is cheapest, and at what fare? Answer 'City fare'.", {}
    def tool_fare(self, city):
        return str(self._state["fares"].get(city, "no such city"))
    def solution(self):
        calls = [json.dumps({"name": "fare", "arguments": {"city": c}}) for c in self._state["fares"]]
        return "\n".join([f"<tool_call>{c}</tool_call>" for c in calls] + [f"<answer>{self._expected_answer}</answer>"])
