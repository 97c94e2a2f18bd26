from tool_use_base_env import ToolUseBaseEnv
import random


class TicketDeskEnv(ToolUseBaseEnv):
    def reset(self, seed=None):
        draw = random.Random(seed)
        self.turn_count, self._call_history = 0, []
        self._ticket = f"T{draw.randint(1000, 9999)}"
        self._state = {"open": [self._ticket]}
        self._expected_answer = "done"
        key = {"type": "object", "properties": {"ticket": {"type": "string"}}, "required": ["ticket"]}
        self._tools = {"list_open": {"description": "Open tickets"},
                       "close_ticket": {"description": "Close a ticket", "parameters": key}}
        return "Close the open ticket, then submit <answer>done</answer>.", {}

    def tool_list_open(self):
        return str(self._state["open"])

    def tool_close_ticket(self, ticket):
        if ticket not in self._state["open"]:
            return "no such ticket"
        self._state["open"].remove(ticket)
        return "closed"

    def solution(self):
        return ['<tool_call>{"name": "list_open", "arguments": {}}</tool_call>',
                '<tool_call>{"name": "close_ticket", "arguments": {"ticket": "%s"}}</tool_call>' % self._ticket,
                "<answer>done</answer>"]
