package admit

import (
	"fmt"
	"regexp"
	"strings"

	"spade"
)

// Players of the survey; those who do not understand what they read are in blind.go. All but solver are blind to the
// source.
const (
	fuzzPlayer     = "fuzz"     // every kind of action that a model may send
	solver         = "solver"   // asks solution()
	constantPlayer = "constant" // the solver's actions on the first seed, whatever the seed
	randomPlayer   = "random "  // draws among what is offered; the kind follows
)

// junkActions are those of the fuzz player that mean nothing in any environment.
var junkActions = []string{idle, `\boxed{nan}`, `\boxed{inf}`, `\boxed{1000000000000}`, `\boxed{日本 ½ é}`, `\boxed{{}`,
	"\x00\t\n", "no call here", "<answer>nan</answer>"}

// idle is an action that means nothing in any environment.
const idle = "no box here"

// moment is what a player sees on its turn.
type moment struct {
	turn        int // from 0
	observation string
	// solution is what solution() says here, nil if it was not asked.
	solution *string
}

// decision is what a player does: it acts, it asks solution() and is then asked again, or it stops.
type decision int

const (
	acts decision = iota
	asks
	stops
)

// move returns what a player does, and its action if it acts.
type move func(moment) (action string, does decision)

// blind makes a move of a function that never asks.
func blind(act func(turn int, observation string) string) move {
	return func(m moment) (string, decision) { return act(m.turn, m.observation), acts }
}

// scripted makes a move that plays actions and then stops.
func scripted(actions []string) move {
	return func(m moment) (string, decision) {
		if m.turn >= len(actions) {
			return "", stops
		}
		return actions[m.turn], acts
	}
}

// answer dresses an answer as the final action of the given kind.
func answer(kind spade.Kind, content string) string {
	if kind == spade.ToolUse {
		return "<answer>" + content + "</answer>"
	}
	return `\boxed{` + content + "}"
}

// contentOf returns what an action says: the content of its box or of its answer.
func contentOf(action string) string {
	opening, closing := `\boxed{`, "}"
	if strings.Contains(action, "<answer>") {
		opening, closing = "<answer>", "</answer>"
	}
	_, content, _ := strings.Cut(action, opening)
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(content), closing))
}

func emptyMove(int, string) string { return "" }

// echoMove sends the observation back, without the braces and angle brackets that would end the answer early.
func echoMove(kind spade.Kind) func(int, string) string {
	plain := strings.NewReplacer("{", " ", "}", " ", "<", " ", ">", " ", "\\boxed", " ")
	return func(_ int, observation string) string { return answer(kind, plain.Replace(observation)) }
}

// listMove names all small numbers in one answer, then letters and common choices.
func listMove(kind spade.Kind) func(int, string) string {
	var numbers []string
	for i := range 101 {
		numbers = append(numbers, fmt.Sprint(i))
	}
	lists := []string{
		strings.Join(numbers, " "),
		"A B C D E F G H",
		"yes no true false left right up down high low",
		strings.Join(numbers, ", "),
	}
	return func(turn int, _ string) string { return answer(kind, lists[turn%len(lists)]) }
}

// solverMove asks a game's solution() before each action; a tool-use solution is one script, a step a line.
func solverMove(kind spade.Kind) move {
	var script []string
	return func(m moment) (string, decision) {
		if kind == spade.ToolUse && m.turn > 0 {
			return scripted(script)(m)
		}
		if m.solution == nil {
			return "", asks
		}
		if kind != spade.ToolUse {
			return boxed(*m.solution), acts
		}
		script = nonBlankLines(*m.solution)
		return scripted(script)(m)
	}
}

// boxed puts a game's action into a box unless it brings one.
func boxed(action string) string {
	if strings.Contains(action, `\boxed{`) {
		return action
	}
	return `\boxed{` + strings.TrimSpace(action) + "}"
}

func nonBlankLines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

var (
	numberPattern = regexp.MustCompile(`-?\d+(\.\d+)?`)
	wordPattern   = regexp.MustCompile(`\pL[\pL\d_]*`)
)

// fuzzMove goes through the fuzz actions, beginning at offset.
func fuzzMove(kind spade.Kind, tools []tool, offset int) move {
	return blind(func(turn int, observation string) string {
		actions := gameFuzz(observation)
		if kind == spade.ToolUse {
			actions = toolFuzz(tools, observation)
		}
		return actions[(turn+offset)%len(actions)]
	})
}

// fuzzCount is the number of actions after which the fuzz player repeats itself.
func fuzzCount(kind spade.Kind, tools []tool) int {
	if kind == spade.ToolUse {
		return len(toolFuzz(tools, ""))
	}
	return len(gameFuzz(""))
}

// gameFuzz returns actions of every kind: with and without a box, empty, with numbers and words of the
// observation, out of every plausible range, not a number, very long, in other scripts. Their number does not
// depend on the observation.
func gameFuzz(observation string) []string {
	number := picker(numberPattern.FindAllString(observation, mostPicked), "7")
	word := picker(optionWords(observation), "test")
	return []string{
		"",
		idle,
		`\boxed{}`,
		`\boxed{0}`,
		`\boxed{` + number(0) + "}",
		`\boxed{` + word(0) + "}",
		`\boxed{nan}`,
		`\boxed{-1}`,
		`\boxed{` + word(1) + " " + number(1) + "}",
		`\boxed{1000000000000}`,
		`\boxed{` + number(2) + ", " + number(1) + "}",
		`\boxed{` + word(2) + "}",
		`\boxed{inf}`,
		`\boxed{日本 ½ é}`,
		`\boxed{` + number(1) + ".5}",
		`\boxed{` + strings.Repeat("x", 3000) + "}",
		`\boxed{` + word(0) + " " + word(1) + "}",
		`\boxed{{}`,
		`\boxed{1} \boxed{2}`,
		"\x00\t\n",
	}
}

// mostPicked is how many numbers and words of an observation the fuzz player needs.
const mostPicked = 3

// optionWords returns the first words that an observation offers in boxes, then its own first words.
func optionWords(observation string) []string {
	var words []string
	for _, piece := range strings.Split(observation, `\boxed{`)[1:] {
		inside, _, _ := strings.Cut(piece, "}")
		words = append(words, wordPattern.FindAllString(inside, mostPicked)...)
	}
	return append(words, wordPattern.FindAllString(observation, mostPicked)...)
}

// picker returns a function that gives the i-th of items, wrapping round, or fallback if there is none.
func picker(items []string, fallback string) func(int) string {
	return func(i int) string {
		if len(items) == 0 {
			return fallback
		}
		return items[i%len(items)]
	}
}
