"""The base class of tool-use environments.

A subclass fills in, usually in reset:

    self._tools            name -> {"description", "parameters"} (a JSON schema)
    self._state            whatever the tools read and change
    self._expected_answer  what the final answer must equal
    self._user_messages    optional: the user's instructions, revealed one at a time
    self._message_criteria optional: per instruction, what must hold when the agent says that it is done

and has one method tool_<name>(**arguments) -> str for every tool. An action holds any number of
<tool_call>{"name": …, "arguments": {…}}</tool_call> blocks, or ends the current instruction with
<answer>…</answer>.
"""
import json
import re

CALL = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
ANSWER = re.compile(r"<answer>(.*?)</answer>", re.DOTALL)
FORMAT = 'Call a tool with <tool_call>{"name": …, "arguments": {…}}</tool_call> or finish with <answer>…</answer>.'

MALFORMED = -0.1  # reward of an action that neither calls a tool nor answers


class ToolUseBaseEnv:
    def __new__(cls, *args, **kwargs):
        # Here and not in __init__, because subclasses forget to call that.
        self = super().__new__(cls)
        self.max_turns = 10
        self.turn_count = 0
        self._tools = {}
        self._state = {}
        self._expected_answer = ""
        self._call_history = []
        self._user_messages = []
        self._message_criteria = []
        self._current_msg = 0
        self._met = []
        return self

    def __init__(self, max_turns=10, **kwargs):
        self.max_turns = max_turns

    def reset(self, seed=None):
        raise NotImplementedError(f"{type(self).__name__} has no reset")

    def begin(self):
        """Forget the last episode. The harness calls it before reset, which may leave this to us."""
        self.turn_count = 0
        self._call_history = []
        self._current_msg = 0
        self._met = []

    def close(self):
        pass

    def step(self, action):
        # A subclass's reset starts a new episode by setting turn_count to 0, with or without our help.
        if not self.turn_count:
            self._met = []
        self.turn_count += 1
        answer = ANSWER.findall(action)
        calls = CALL.findall(action)
        if calls:
            return self._go_on("\n".join(self._call(text) for text in calls), 0.0)
        if answer:
            return self._answered(answer[-1].strip())
        return self._go_on(FORMAT, MALFORMED)

    def _go_on(self, observation, reward):
        if self.turn_count >= self.max_turns:
            return observation, 0.0, False, True, {}
        return observation, reward, False, False, {}

    def _call(self, text):
        try:
            call = json.loads(text)
            name, arguments = call["name"], call.get("arguments") or {}
            if isinstance(arguments, str):
                arguments = json.loads(arguments)
        except (ValueError, KeyError, TypeError, AttributeError):
            return f"Error: not a tool call. {FORMAT}"
        if not isinstance(name, str) or not isinstance(arguments, dict):
            return f"Error: not a tool call. {FORMAT}"
        tool = getattr(self, f"tool_{name}", None)
        if name not in self._tools or not callable(tool):
            return f"Error: no tool named {name!r}; tools: {', '.join(sorted(self._tools))}"
        try:
            result = tool(**arguments)
        except Exception as e:  # the agent reads what its call did wrong
            result = f"Error: {type(e).__name__}: {e}"
        self._call_history.append({"name": name, "arguments": arguments, "result": result})
        return result if isinstance(result, str) else json.dumps(result, default=str)

    def _answered(self, answer):
        if not self._user_messages:
            won = bool(self._check_answer(answer))
            return ("Correct." if won else "Wrong."), float(won), True, False, {}
        self._met.append(bool(self._check_message(self._current_msg, answer)))
        self._current_msg += 1
        if self._current_msg < len(self._user_messages):
            return self._go_on(str(self._user_messages[self._current_msg]), 0.0)
        won = all(self._met)
        return ("All done." if won else "Not everything was done."), float(won), True, False, {}

    def _check_answer(self, answer):
        return same_answer(answer, self._expected_answer)

    def _check_message(self, index, answer):
        """Whether instruction number index is done. A criterion is a function (of the environment, or of
        nothing), a dict of what the state must hold, a list of tools that must have been called, or a text that
        the answer must equal. The last instruction without a criterion is judged by the expected answer."""
        if index >= len(self._message_criteria) or self._message_criteria[index] is None:
            last = index == len(self._user_messages) - 1
            return self._check_answer(answer) if last and self._expected_answer else True
        criterion = self._message_criteria[index]
        if callable(criterion):
            takes = getattr(getattr(criterion, "__code__", None), "co_argcount", 0)
            bound = getattr(criterion, "__self__", None) is not None
            return criterion(self) if takes - bound > 0 else criterion()
        if isinstance(criterion, dict):
            return all(key in self._state and self._state[key] == value for key, value in criterion.items())
        if isinstance(criterion, (list, tuple, set)):
            return set(criterion) <= {call["name"] for call in self._call_history}
        return same_answer(answer, criterion)


def same_answer(given, expected):
    """Equal as text, leaving case and spaces aside, or equal as numbers."""
    given, expected = (" ".join(str(text).split()).casefold() for text in (given, expected))
    if given == expected:
        return True
    try:
        return float(given.replace(",", "")) == float(expected.replace(",", ""))
    except ValueError:
        return False
