package admit

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"spade"
	"spade/sandbox"
)

// shortestScript is the number of actions from which a hint may be a script.
const shortestScript = 3

// scriptReasons refuses a hint that says move by move what to do.
//
// Catches: actions in a row, one of them repeated (a list of what can be done repeats none); several boxes or tool
// calls; and actions that, in the order in which the hint names them, win on at least two of the first lookSeeds seeds.
func (a *Admission) scriptReasons(ctx context.Context, c Candidate, j *judged, process *sandbox.Process) ([]spade.Reason, error) {
	hint, e := c.Hint, j.evidence
	named, inRow := namedActions(hint, e.actionWords())
	reason := spade.Reason{Code: spade.HintLeak, Evidence: spade.Evidence{Actions: cutAll(named)}}
	if calls := scriptPattern.FindAllString(hint, -1); len(calls) >= shortestScript {
		reason.Detail = fmt.Sprintf("it is a script: it writes out %d actions", len(calls))
		reason.Evidence.Actions = cutAll(calls)
		return []spade.Reason{reason}, nil
	}
	if len(inRow) > shortestScript {
		reason.Detail = "it is a script of actions: " + cut(strings.Join(inRow, ", "))
		reason.Evidence.Actions = cutAll(inRow)
		return []spade.Reason{reason}, nil
	}
	if len(named) < shortestScript || !j.verdict.Admit {
		return nil, nil
	}
	if process == nil {
		fresh, fault, err := a.load(ctx, c.Source, sandbox.LoadOptions{})
		if err != nil || fault != nil {
			return nil, err
		}
		defer fresh.Close()
		process = fresh
	}
	won, err := a.playScript(ctx, named, e, process)
	if err != nil || len(won) < 2 {
		return nil, err
	}
	reason.Detail = fmt.Sprintf("it is a script: the actions that it names, played in its order, win on %d of %d seeds", len(won), lookSeeds)
	reason.Evidence.Seed = &won[0].seed
	reason.Evidence.First = cutAll(won[0].lines())
	return []spade.Reason{reason}, nil
}

var scriptPattern = regexp.MustCompile(`\\boxed\{[^{}]*\}|<tool_call>`)

// playScript plays actions on the first lookSeeds seeds and returns the episodes that they win.
func (a *Admission) playScript(ctx context.Context, contents []string, e *evidence, process *sandbox.Process) ([]*episode, error) {
	r := newRun(process, a.config.MaxTurns)
	r.apart = !e.packed
	var actions []string
	for _, content := range contents {
		actions = append(actions, answer(e.kind, content))
	}
	var sittings []sitting
	for seed := range int64(lookSeeds) {
		sittings = append(sittings, script(episodeKey{player: "script", seed: seed}, actions...))
	}
	episodes, err := r.playAll(ctx, sittings)
	if err == nil {
		err = r.rest(ctx)
	}
	if err != nil { // the hint makes it fail: it is no script that wins
		return nil, ctx.Err()
	}
	return slices.DeleteFunc(episodes, func(ep *episode) bool { return !ep.won() }), nil
}

// actionWords returns what the solver said in games, in lower case.
func (e *evidence) actionWords() map[string]bool {
	words := make(map[string]bool)
	for _, ep := range e.plain.order {
		if ep.player == solver && e.kind == spade.Game {
			for _, action := range ep.actions() {
				words[strings.ToLower(contentOf(action))] = true
			}
		}
	}
	return words
}

// mostWords bounds the words of one action.
const mostWords = 3

// namedActions returns the actions that text names, in order, and the longest run of them with nothing but
// punctuation and connecting words between; the run is nil if it repeats no action.
func namedActions(text string, actions map[string]bool) (named, inRow []string) {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-+.", r)
	})
	for i, word := range words {
		words[i] = strings.Trim(word, ".-")
	}
	var run []string
	for i := 0; i < len(words); {
		length := 0
		for n := min(mostWords, len(words)-i); n > 0 && length == 0; n-- {
			if actions[strings.Join(words[i:i+n], " ")] {
				length = n
			}
		}
		switch {
		case length > 0:
			action := strings.Join(words[i:i+length], " ")
			named, run = append(named, action), append(run, action)
			if len(run) > len(inRow) && repeats(run) {
				inRow = slices.Clone(run)
			}
		case !connecting[words[i]] && words[i] != "":
			run = nil
		}
		i += max(1, length)
	}
	return named, inRow
}

var connecting = wordSet("then and next to finally now again")

func repeats(items []string) bool {
	sorted := slices.Sorted(slices.Values(items))
	return len(slices.Compact(sorted)) < len(items)
}
