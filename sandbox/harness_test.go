package sandbox

import "testing"

// checkToolUse plays tool-use environments of several instructions, with every kind of criterion.
func checkToolUse(t *testing.T, _ string, s *Sandbox) {
	const source = `
class ErrandEnv(ToolUseBaseEnv):
    def __init__(self, max_turns=8):
        self.limit = max_turns                      # forgets the base class
    def reset(self, seed=None):
        self.turn_count = self._current_msg = 0
        self._state, self._call_history = {"door": "shut", "lamp": "off"}, []
        self._tools = {"set": {"description": "sets one thing", "parameters": {}}, "look": {"description": "looks"}}
        self._user_messages = ["Open the door.", "Light the lamp.", "Look around.", "What is 2 + 2?"]
        self._message_criteria = [{"door": "open"}, lambda env: env._state["lamp"] == "on", ["look"], "4.0"]
        return self._user_messages[0], {}
    def tool_set(self, thing, value):
        self._state[thing] = value
        return f"{thing} is {value}"
    def tool_look(self):
        return self._state
    def secret(self):
        return "no tool"
`
	door, lamp := `<tool_call>{"name": "set", "arguments": {"thing": "door", "value": "open"}}</tool_call>`,
		`<tool_call>{"name": "set", "arguments": "{\"thing\": \"lamp\", \"value\": \"on\"}"}</tool_call>`
	look, done := `<tool_call>{"name": "look"}</tool_call>`, `<answer>done</answer>`
	p := load(t, s, source)
	for _, test := range []struct {
		name    string
		actions []string
		want    []Step
	}{
		{"all done", []string{door, done, lamp + look, done, done, "<answer> 4 </answer>"}, []Step{
			{Observation: "door is open"}, {Observation: "Light the lamp."},
			{Observation: "lamp is on\n" + `{"door": "open", "lamp": "on"}`}, {Observation: "Look around."},
			{Observation: "What is 2 + 2?"}, {Observation: "All done.", Reward: 1, Terminated: true}}},
		{"one left out", []string{door, done, done, look, done, "<answer>4</answer>"}, []Step{
			{Observation: "door is open"}, {Observation: "Light the lamp."}, {Observation: "Look around."},
			{Observation: `{"door": "open", "lamp": "off"}`}, {Observation: "What is 2 + 2?"},
			{Observation: "Not everything was done.", Terminated: true}}},
		{"wrong calls", []string{
			`<tool_call>{"name": "secret"}</tool_call>`, `<tool_call>{"name": "set", "arguments": {"x": 1}}</tool_call>`,
			`<tool_call>[1]</tool_call>`, `<tool_call>{"name": 3}</tool_call>`, "hello"}, []Step{
			{Observation: "Error: no tool named 'secret'; tools: look, set"},
			{Observation: "Error: TypeError: ErrandEnv.tool_set() got an unexpected keyword argument 'x'"},
			{Observation: "Error: not a tool call. " + toolFormat}, {Observation: "Error: not a tool call. " + toolFormat},
			{Observation: toolFormat, Reward: -0.1}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			i := instance(t, p)
			if i.MaxTurns() != 10 {
				t.Errorf("max_turns is %d", i.MaxTurns())
			}
			for range 2 { // a second episode starts afresh
				if o, fault, err := i.Reset(t.Context(), 1); fault != nil || err != nil || o.Text != "Open the door." {
					t.Fatal(o, fault, err)
				}
				for n, action := range test.actions {
					got, fault, err := i.Step(t.Context(), action)
					test.want[n].Info = "{}"
					if fault != nil || err != nil || got != test.want[n] {
						t.Errorf("%s: got %+v, want %+v (%v, %v)", action, got, test.want[n], fault, err)
					}
				}
			}
		})
	}
}

const toolFormat = `Call a tool with <tool_call>{"name": …, "arguments": {…}}</tool_call> or finish with <answer>…</answer>.`

// checkNames uses every name that environments may use without importing it.
func checkNames(t *testing.T, _ string, s *Sandbox) {
	const source = `
class NamesEnv:
    def reset(self, seed=None):
        used = [math, random, re, json, collections, itertools, functools, string, copy, heapq, operator, statistics,
                Any, Callable, Dict, List, Optional, Set, Tuple, Union, deque, defaultdict, Counter, OrderedDict,
                namedtuple, combinations, permutations, product, chain, accumulate, reduce, lru_cache, deepcopy,
                heappush, heappop, ToolUseBaseEnv]
        return str(len(used)), {}
    def step(self, action):
        return __name__, 0.0, True, False, {}
`
	i := instance(t, load(t, s, source))
	if o, fault, err := i.Reset(t.Context(), 1); fault != nil || err != nil || o.Text != "36" {
		t.Error(o, fault, err)
	}
}

// checkUnseeded: without a seed every instance draws something else, so that a forgotten seed shows.
func checkUnseeded(t *testing.T, _ string, s *Sandbox) {
	const source = `
class UnseededEnv:
    def reset(self, seed=None):
        return f"{random.random()} {random.Random().random()}", {}
    def step(self, action):
        return "", 0.0, True, False, {}
`
	p := load(t, s, source)
	first, _, _ := instance(t, p).Reset(t.Context(), 1)
	second, _, _ := instance(t, p).Reset(t.Context(), 1)
	if first.Text == "" || first.Text == second.Text {
		t.Errorf("drew %s and %s", first.Text, second.Text)
	}
}

// checkClassChoice: the class that a reader of the file would choose.
func checkClassChoice(t *testing.T, _ string, s *Sandbox) {
	const methods = "\n    def reset(self, seed=None): ...\n    def step(self, a): ...\n"
	for _, test := range []struct{ name, source, want string }{
		{"last of two", "class AEnv:" + methods + "class BEnv:" + methods, "BEnv"},
		{"subclass before its base's sibling", "class BaseEnv:" + methods + "class RealEnv(BaseEnv): pass\nclass Helper: pass", "RealEnv"},
		{"base after", "class AEnv:" + methods + "class BEnv(AEnv): pass\nCEnv = AEnv", "BEnv"},
		{"without the name", "class Game:" + methods, "Game"},
		{"name before no name", "class GameEnv:" + methods + "class Other:" + methods, "GameEnv"},
		{"no step", "class AEnv:" + methods + "class BEnv:\n    def reset(self): ...", "AEnv"},
		{"tool use", "class AEnv(ToolUseBaseEnv): pass", "AEnv"},
		{"imported base only counts below", "from tool_use_base_env import ToolUseBaseEnv as BaseEnv\nclass XEnv:" + methods, "XEnv"},
	} {
		p := load(t, s, test.source)
		if p.Class() != test.want {
			t.Errorf("%s: chose %s", test.name, p.Class())
		}
		p.Close()
	}
}
