from tool_use_base_env import ToolUseBaseEnv
import random


class NurseryOrderEnv(ToolUseBaseEnv):
    def __init__(self, max_turns=12, **kwargs):
        super().__init__(max_turns=max_turns, **kwargs)

    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn_count, self._call_history, self._current_msg = 0, [], 0
        self._state = {"ferns": draw.randint(3, 30), "palms": draw.randint(3, 30), "watered": False}
        self._tools = {"count": {"description": "Plants of a kind", "parameters": {
            "type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}},
            "water": {"description": "Water everything"}}
        self._user_messages = ["Please water the plants; answer done.",
                               "How many ferns and palms are there together?"]
        self._message_criteria = [{"watered": True}, str(self._state["ferns"] + self._state["palms"])]
        return self._user_messages[0], {}

    def tool_count(self, kind):
        return str(self._state.get(kind, "no such kind"))

    def tool_water(self):
        self._state["watered"] = True
        return "watered"

    def solution(self):
        return ['<tool_call>{"name": "water", "arguments": {}}</tool_call>', "<answer>done</answer>",
                '<tool_call>{"name": "count", "arguments": {"kind": "ferns"}}</tool_call>'
                '<tool_call>{"name": "count", "arguments": {"kind": "palms"}}</tool_call>',
                f"<answer>{self._message_criteria[1]}</answer>"]
