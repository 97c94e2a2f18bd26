from tool_use_base_env import ToolUseBaseEnv
import random


class MeterReadEnv(ToolUseBaseEnv):
    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn_count, self._call_history = 0, []
        self._value = str(draw.randint(10000, 99999))
        self._expected_answer = self._value
        self._tools = {"read_meter": {"description": "The value of the meter"}}
        return f"Read the meter and submit its value in <answer>. (Expected: {self._value})", {}

    def tool_read_meter(self):
        return self._value

    def solution(self):
        return ['<tool_call>{"name": "read_meter", "arguments": {}}</tool_call>', f"<answer>{self._value}</answer>"]
