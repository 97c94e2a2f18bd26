package reply

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestThinking(t *testing.T) {
	for _, c := range []struct {
		text, thinking, rest string
		closed               bool
	}{
		{"plain", "", "plain", true},
		{"<think>a</think>b", "a", "b", true},
		{"a</think>b", "a", "b", true},
		{"<think>a", "a", "", false},
		{"b<think>a", "ba", "", false},
		{"<think>a</think>b<think>c</think> d", "a\nc", "b d", true},
		{"<think>a</think>b<think>c", "a\nbc", "", false},
		{"<think>a<think>b</think>c", "a<think>b", "c", true},
		{"<think>a</think>b</think>c", "a\nb", "c", true},
		{"<thi<think>a</think>nk>b", "a", "<thi\nnk>b", true},
	} {
		thinking, rest, closed := Thinking(c.text)
		if thinking != c.thinking || rest != c.rest || closed != c.closed {
			t.Errorf("Thinking(%q) = %q, %q, %v", c.text, thinking, rest, closed)
		}
	}
}

func TestBoxed(t *testing.T) {
	const none = "none"
	for _, c := range []struct{ text, want string }{
		{`\boxed{ 7}`, ` 7`},
		{`\boxed{a}\boxed{b}`, `b`},
		{`\boxed{3} or \boxed{4`, `3`},
		{`\boxed{3`, none},
		{`\boxed{x = \boxed{5}}`, `5`},
		{`\boxed{x = \boxed{5}`, `5`},
		{`\boxed{{"a": {"b": 1}}}`, `{"a": {"b": 1}}`},
		{`\boxed{\{1, 2\}}`, `\{1, 2\}`},
		{`\boxed{\}}`, `\}`},
		{`\boxed{a\\}`, `a\\`},
		{`\\boxed{5}`, `5`},
		{"\\boxed\n {5}", `5`},
		{`\boxed 5`, none},
		{`put it in \boxed form`, none},
		{`boxed{5}`, none},
		{`\boxed{}`, ``},
		{`\boxed{7}, as asked: \boxed{}`, `7`},
		{`\boxed{ } then \boxed{7}`, `7`},
		{`\fbox{5}`, `5`},
		{`\boxed{4} \fbox{5}`, `4`},
		{`} {1, 2 \boxed{5} }`, `5`},
		{"```\n\\boxed{up}\n```", `up`},
		{"\\boxed{a\nb}", "a\nb"},
		{`<think>\boxed{3}`, none},
		{`\boxed{3}</think>then \boxed{4}`, `4`},
		{`\boxed{3}</think>`, none},
		{`\boxed{水}`, `水`},
		{``, none},
	} {
		got, ok := Boxed(c.text)
		if !ok {
			got = none
		}
		if got != c.want {
			t.Errorf("Boxed(%q) = %q, want %q", c.text, got, c.want)
		}
	}
}

func TestAction(t *testing.T) {
	for text, want := range map[string]string{
		`go \boxed{ up }`: `\boxed{up}`, `\boxed{ }`: `\boxed{}`, `\boxed{up`: ``, `up`: ``, `\boxed{\text{D}}`: `\boxed{\text{D}}`,
	} {
		if got := Action(text); got != want {
			t.Errorf("Action(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNormalize(t *testing.T) {
	for content, want := range map[string]string{
		`\frac{7}{12}`:               `7/12`,
		`\dfrac{a + b}{2}`:           `(a + b)/2`,
		`\frac{\frac{1}{2}}{3}`:      `(1/2)/3`,
		`\frac12`:                    `1/2`,
		`2\frac{1}{2}`:               `2 1/2`,
		`-\frac{1}{2}`:               `-1/2`,
		`\frac{-1}{2}`:               `-1/2`,
		`\text{D}`:                   `D`,
		`\text{ move \textbf{up} }`:  `move up`,
		`$\mathrm{x}$`:               `x`,
		` a \  b `:                   `a b`,
		`\left( 1, 2 \right)`:        `( 1,2 )`,
		`\leftarrow`:                 `\leftarrow`,
		`3 \times 4`:                 `3*4`,
		`50\%`:                       `50%`,
		"−７":                         `-7`,
		`1{,}200`:                    `1,200`,
		strings.Repeat(`\text{`, 99): strings.Repeat(`\text{`, 99),
	} {
		if got := Normalize(content); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", content, got, want)
		}
	}
}

func TestAnswerEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"1,234", "1,234.0", true},
		{"0,123", "123", false},
		{"1,23", "1.23", false},
		{"1234,567", "1234567", false},
		{"-$5", "$-5", true},
		{"--5", "5", false},
		{"$5$", "5", true},
		{"\uff0d３．５", "-3.5", true},
		{"–7", "-7", true},
		{".5", "0.50", true},
		{`\frac{1}{2}`, "0.5", true},
		{"1/0", "2/0", false},
		{"1e999", "1e999", false},
		{"-inf", "-inf", false},
		{"NaN", "nan", false},
		{"(nan, 1)", "(nan, 1)", false},
		{"infinite", "infinite", true},
		{"1000000000", "1000000001", true},
		{"100000000", "100000001", false},
		{"0", "-0", true},
		{"0", "1e-12", false},
		{"(1.0, 2)", "(1, 2.0)", true},
		{"(1, 2)", "[1, 2]", false},
		{"(1, 2)", "1, 2", false},
		{"1, 2", "2, 1", false},
		{"a", "(", false},
		{"(", "((", false},
		{"Paris", " Paris ", true},
		{"Yes, sir,", "Yes, sir,", true},
		{"12", "1", false},
		{"0x10", "16", false},
		{"1_0", "10", false},
		{"", "", false},
	} {
		if AnswerEqual(c.a, c.b) != c.want || AnswerEqual(c.b, c.a) != c.want {
			t.Errorf("AnswerEqual(%q, %q) is not %v", c.a, c.b, c.want)
		}
	}
}

func TestToolCalls(t *testing.T) {
	const ok = `{"name": "f", "arguments": {"x": 1}}`
	for _, c := range []struct {
		name, text, finish string
		want               string // calls, rejected, truncated, normal text
	}{
		{"plain text", "hello", "", `[] 0 false "hello"`},
		{"python notation", "<tool_call>{'name': 'f', 'arguments': {'x': [1, True, None,], 'q': 'it\\'s \"so\"'},}</tool_call>", "",
			`[f{"x":[1,true,null],"q":"it's \"so\""}] 0 false ""`},
		{"line end in a string", "<tool_call>{\"name\": \"f\", \"arguments\": {\"x\": \"a\nb\"}}</tool_call>", "",
			`[f{"x":"a\u000ab"}] 0 false ""`},
		{"fence inside", "<tool_call>\n```json\n" + ok + "\n```\n</tool_call>", "", `[f{"x":1}] 0 false ""`},
		{"fence outside", "```\n<tool_call>" + ok + "</tool_call>\n```", "", "[f{\"x\":1}] 0 false \"```\\n\\n```\""},
		{"list", "<tool_call>[" + ok + ", " + ok + "]</tool_call>", "", `[f{"x":1} f{"x":1}] 0 false ""`},
		{"empty list", "<tool_call>[]</tool_call>", "", `[] 1 false ""`},
		{"no name", `<tool_call>{"arguments": {}}</tool_call>`, "", `[] 1 false ""`},
		{"blank name", `<tool_call>{"name": " ", "arguments": {}}</tool_call>`, "", `[] 1 false ""`},
		{"name of another type", `<tool_call>{"name": 7, "arguments": {}}</tool_call>`, "", `[] 1 false ""`},
		{"no arguments", `<tool_call>{"name": "f"}</tool_call>`, "", `[f{}] 0 false ""`},
		{"null arguments", `<tool_call>{"name": "f", "arguments": null}</tool_call>`, "", `[f{}] 0 false ""`},
		{"empty text for arguments", `<tool_call>{"name": "f", "arguments": ""}</tool_call>`, "", `[f{}] 0 false ""`},
		{"list for arguments", `<tool_call>{"name": "f", "arguments": [1]}</tool_call>`, "", `[] 1 false ""`},
		{"prose for arguments", `<tool_call>{"name": "f", "arguments": "x=1"}</tool_call>`, "", `[] 1 false ""`},
		{"twice encoded", `<tool_call>{"name": "f", "arguments": "\"{}\""}</tool_call>`, "", `[] 1 false ""`},
		{"parameters", `<tool_call>{"name": "f", "parameters": {"x": 1}}</tool_call>`, "", `[f{"x":1}] 0 false ""`},
		{"unknown keys", `<tool_call>{"id": 1, "name": "f", "arguments": {}, "type": "function"}</tool_call>`, "", `[f{}] 0 false ""`},
		{"key twice: the last counts", `<tool_call>{"name": "e", "name": "f", "arguments": {}}</tool_call>`, "", `[f{}] 0 false ""`},
		{"prose", "<tool_call>f(x=1)</tool_call> done", "", `[] 1 false "done"`},
		{"empty", "<tool_call></tool_call>", "", `[] 1 false ""`},
		{"bad after good refuses the block", "<tool_call>" + ok + " {\"name\": </tool_call><tool_call>" + ok + "</tool_call>", "",
			`[f{"x":1}] 1 false ""`},
		{"brace too many", "<tool_call>" + ok + "}</tool_call>", "", `[] 1 false ""`},
		{"tag inside a string", `<tool_call>{"name": "f", "arguments": {"x": "a </tool_call> b"}}</tool_call>c`, "",
			`[f{"x":"a </tool_call> b"}] 0 false "c"`},
		{"doubled tags", "<tool_call>\n<tool_call>" + ok + "</tool_call></tool_call>", "", `[f{"x":1}] 0 false ""`},
		{"tag left out between blocks", "<tool_call>" + ok + "\n<tool_call>" + ok + "</tool_call>", "",
			`[f{"x":1} f{"x":1}] 0 false ""`},
		{"broken before a block", "<tool_call>{\"na <tool_call>" + ok + "</tool_call>", "", `[f{"x":1}] 1 false ""`},
		{"no closing tag", "<tool_call>" + ok, "", `[] 0 true ""`},
		{"no closing tag, cut", "<tool_call>" + ok, "length", `[] 0 true ""`},
		{"no closing tag, ended", "a <tool_call>" + ok, "stop", `[f{"x":1}] 0 false "a"`},
		{"no closing tag, end marker", "<tool_call>" + ok + "<|im_end|>\n", "", `[f{"x":1}] 0 false ""`},
		{"half a call, ended", `<tool_call>{"name": "f", "arguments": {"x": 1`, "stop", `[] 0 true ""`},
		{"good before cut", "<tool_call>" + ok + "</tool_call><tool_call>{", "length", `[f{"x":1}] 0 true ""`},
		{"thinking never ends", "<think><tool_call>" + ok + "</tool_call>", "", `[] 0 true ""`},
		{"thinking between", "<think>a</think><tool_call>" + ok + "</tool_call><think>b</think><tool_call>" + ok + "</tool_call>", "",
			`[f{"x":1} f{"x":1}] 0 false ""`},
		{"numbers keep their digits", `<tool_call>{"name": "f", "arguments": {"b": 12345678901234567890, "a": 1.0}}</tool_call>`, "",
			`[f{"b":12345678901234567890,"a":1.0}] 0 false ""`},
	} {
		got := ToolCalls(c.text, c.finish)
		var calls []string
		for _, call := range got.Calls {
			calls = append(calls, call.Name+string(call.Arguments))
		}
		if s := fmt.Sprintf("%v %d %v %q", calls, got.Rejected, got.Truncated, got.NormalText); s != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, s, c.want)
		}
	}
}

func TestAnswer(t *testing.T) {
	for _, c := range []struct {
		text, want string
		ok         bool
	}{
		{"so <answer> 42\n</answer>.", "42", true},
		{"<answer>1</answer> no, <answer>2</answer>", "2", true},
		{"<answer>1</answer> <answer>2", "1", true},
		{"<answer></answer>", "", true},
		{"<answer>1", "", false},
		{"1</answer>", "", false},
		{"<think><answer>1</answer></think>", "", false},
		{`<tool_call>{"name": "f", "arguments": {"x": "<answer>1</answer>"}}</tool_call>`, "", false},
	} {
		if got, ok := Answer(c.text); got != c.want || ok != c.ok {
			t.Errorf("Answer(%q) = %q, %v", c.text, got, ok)
		}
	}
}

func TestCode(t *testing.T) {
	const none = "none"
	class := "class AEnv:\n    pass\n"
	for _, c := range []struct{ name, text, want string }{
		{"plain", "```python\nx = 1\n```", "x = 1\n"},
		{"no final line end", "```python\nx = 1\n```\n<hint> minus</hint>", "x = 1\n"},
		{"py", "text\n\n``` py\nx = 1\n```\nmore", "x = 1\n"},
		{"attributes", "```{.python title=\"a\"}\nx = 1\n```", "x = 1\n"},
		{"tildes", "~~~python\ns = '```'\n```\n~~~\n", "s = '```'\n```\n"},
		{"four ticks", "````python\n```\n````\n", "```\n"},
		{"after text", "Here it is: ```python\nx = 1\n```", "x = 1\n"},
		{"in a list", "- code:\n\n  ```python\n  if x:\n      y\n\n  ```\n", "if x:\n    y\n\n"},
		{"named in prose", "Use ```python fences```.\n```python\nx = 1\n```", "x = 1\n"},
		{"no label", "```\n" + class + "```", class},
		{"no label, no python", "```\nhello\n```", none},
		{"label before no label", "```\n" + class + "```\n```python\nx = 1\n```", "x = 1\n"},
		{"other label", "```json\n{}\n```\n```text\nclass A:\n```", none},
		{"no fence", class, none},
		{"cut off", "```python\n" + class, none},
		{"cut off after a whole one", "```python\n" + class + "```\n```python\nclass BEnv:\n", class},
		{"begun anew", "```python\nclass Half:\n\n```python\n" + class + "```", class},
		{"correction", "```python\nclass Old: pass\n```\nBetter:\n```python\n" + class + "```", class},
		{"example after the class", "```python\n" + class + "```\nUse:\n```python\nAEnv().reset()\n```", class},
		{"fence in a string at the margin", "```python\nclass A:\n    \"\"\"x\n```\ny\n```\n\"\"\"\n```\nend", "class A:\n    \"\"\"x\n```\ny\n```\n\"\"\"\n"},
		{"string never ends", "```python\nclass A:\n    \"\"\"x\n```\nend", "class A:\n    \"\"\"x\n"},
		{"quotes in comments and strings", "```python\nx = \"'''\" # \"\"\"\ny = '\\'\"\"\"'\n```\nit's\n```\n", "x = \"'''\" # \"\"\"\ny = '\\'\"\"\"'\n"},
		{"thinking", "<think>```python\nx = 1\n```</think>", none},
		{"empty", "```python\n```", ""},
	} {
		got, ok := Code(c.text)
		if !ok {
			got = none
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestHint(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"```python\nx = 1\n```\n<hint> minus</hint>", "minus"},
		{"<hint>a</hint> or <hint>b</hint>", "b"},
		{"<hint>a</hint>\n```python\nx = '<hint>no</hint>'\n```", "a"},
		{"```python\nx = '<hint>no</hint>'\n```", ""},
		{"<hint> </hint>", ""},
		{"<hint>a", ""},
		{"<think><hint>a</hint></think>", ""},
	} {
		if got, ok := Hint(c.text); got != c.want || ok != (c.want != "") {
			t.Errorf("Hint(%q) = %q, %v", c.text, got, ok)
		}
	}
}

var seeds = []string{
	`a \boxed{\frac{1}{2}} \boxed{`, "<think>a</think>b</think><think>", "```python\nclass A:\n  '''\n```\n~~~",
	`<tool_call>{'name': "f", "arguments": {"x": [1,],}}</tool_call><tool_call>`, "<answer>1,000</answer><hint>x</hint>",
	"<tool_call><tool_call></s></tool_call><|im_end|>", `\left(\text{$−1,234.5e3$}\right)`,
}

// FuzzReply: nothing panics, and reading what was read again changes nothing.
func FuzzReply(f *testing.F) {
	for _, s := range seeds {
		f.Add(s, "")
		f.Add(s, "stop")
	}
	f.Fuzz(func(t *testing.T, text, finish string) {
		_, rest, closed := Thinking(text)
		if _, again, _ := Thinking(rest); again != rest || !closed && rest != "" {
			t.Errorf("rest %q reads as %q", rest, again)
		}
		if action := Action(text); action != "" && Action(action) != action {
			t.Errorf("action %q reads as %q", action, Action(action))
		}
		calls := ToolCalls(text, finish)
		again := ToolCalls(calls.NormalText, finish)
		if again.NormalText != calls.NormalText || len(again.Calls)+again.Rejected > 0 || again.Truncated {
			t.Errorf("normal text %q reads as %+v", calls.NormalText, again)
		}
		for _, c := range calls.Calls {
			if c.Name == "" || !json.Valid(c.Arguments) || c.Arguments[0] != '{' {
				t.Errorf("call %q %q", c.Name, c.Arguments)
			}
		}
		if code, ok := Code(text); ok && !strings.Contains(strings.ReplaceAll(text, "\r\n", "\n"), strings.TrimSpace(firstOf(code))) {
			t.Errorf("code %q is not in the reply", code)
		}
		Answer(text)
		if hint, ok := Hint(text); ok != (hint != "") {
			t.Errorf("hint %q, %v", hint, ok)
		}
	})
}

func firstOf(code string) string {
	line, _, _ := strings.Cut(code, "\n")
	return line
}

// FuzzNormalize: normal forms stay, and equality is symmetric and, but for nan and the empty answer, reflexive.
func FuzzNormalize(f *testing.F) {
	for _, s := range append(seeds, "1,234", "(1, 2)", `\frac1{\frac23}`, "nan", "–7") {
		f.Add(s, "7")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if !utf8.ValidString(a) || len(a) > 1000 {
			t.Skip("the property is one of short, valid texts")
		}
		n := Normalize(a)
		if Normalize(n) != n || len(n) > len(a) {
			t.Errorf("Normalize(%q) = %q, then %q", a, n, Normalize(n))
		}
		if AnswerEqual(a, b) != AnswerEqual(b, a) {
			t.Errorf("AnswerEqual(%q, %q) is not symmetric", a, b)
		}
		if x, isNumber := number(n); n != "" && !notFinite(n) && !(isNumber && !equalNumbers(x, x)) && !AnswerEqual(a, a) {
			t.Errorf("%q does not equal itself", a)
		}
	})
}
