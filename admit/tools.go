package admit

import (
	"encoding/json"
	"strings"
)

// tool is a method tool_<name> of a tool-use environment, as its source declares it.
type tool struct {
	name       string
	parameters []string
}

// declaredTools returns the tools that the source defines, in order.
func declaredTools(tokens []token) []tool {
	var tools []tool
	for _, line := range logicalLines(tokens) {
		if line[0].text == "async" {
			line = line[1:]
		}
		if len(line) < 3 || line[0].text != "def" {
			continue
		}
		if name, ok := strings.CutPrefix(line[1].text, "tool_"); ok {
			tools = append(tools, tool{name: name, parameters: parameters(line[2:])})
		}
	}
	return tools
}

// parameters returns the names in a parameter list that begins with its bracket, without the instance itself.
func parameters(tokens []token) []string {
	var names []string
	depth := 0
	for i, t := range tokens {
		switch {
		case t.kind == operatorToken && strings.Contains("([{", t.text):
			depth++
		case t.kind == operatorToken && strings.Contains(")]}", t.text):
			if depth--; depth == 0 {
				return names[min(1, len(names)):]
			}
		case depth == 1 && t.kind == nameToken && (tokens[i-1].text == "(" || tokens[i-1].text == ","):
			names = append(names, t.text)
		}
	}
	return names
}

// toolFuzz returns actions of every kind for tool use: no call, broken calls, an unknown tool, every tool without
// and with arguments of several types, several calls at once, and answers.
func toolFuzz(tools []tool, observation string) []string {
	word := picker(wordPattern.FindAllString(observation, mostOffers), "test")
	actions := []string{
		"",
		"no call here",
		"<tool_call>{\"name\": </tool_call>",
		"<tool_call>[1, 2]</tool_call>",
		"<tool_call>{\"name\": 7, \"arguments\": \"x\"}</tool_call>",
		call("no_such_tool", nil),
		`\boxed{7}`,
	}
	for i, t := range tools {
		actions = append(actions, call(t.name, nil))
		for _, value := range []any{word(i), -1, nil, "日本 ½ é", []any{1}} {
			arguments := make(map[string]any)
			for _, name := range t.parameters {
				arguments[name] = value
			}
			if len(arguments) > 0 {
				actions = append(actions, call(t.name, arguments))
			}
		}
	}
	both := call("no_such_tool", nil) + "\n" + call("no_such_tool", nil)
	return append(actions, both, "<answer></answer>", "<answer>nan</answer>", "<answer>"+word(0)+"</answer>")
}

// call writes a tool call; arguments must be encodable as JSON.
func call(name string, arguments map[string]any) string {
	body, err := json.Marshal(map[string]any{"name": name, "arguments": arguments})
	if err != nil {
		panic("encoding a tool call: " + err.Error())
	}
	return "<tool_call>" + string(body) + "</tool_call>"
}
