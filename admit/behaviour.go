package admit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spade"
)

// compare refuses near-duplicates of what index knows.
//
// Catches: environments whose sources are alike once names, literals and layout are folded, and that do the same: under
// other names, other texts and with small edits. Costs: a comparison of sources; what is alike is played, unless it was
// judged lately. Cannot see: the same task in another program, and copies that draw other numbers.
func (a *Admission) compare(ctx context.Context, v *spade.Verdict, source string, index Index) error {
	if !v.Admit || index == nil || !a.config.NearDuplicates {
		return nil
	}
	id, resemblance, err := index.Near(source, func(source string) ([]string, error) { return a.Behaviour(ctx, source) })
	if err != nil || id == "" {
		return err
	}
	v.Admit, v.Packed = false, false
	pass(v, "likeness", []spade.Reason{{
		Code: spade.Duplicate,
		Detail: fmt.Sprintf("it is a near-duplicate of environment %s (resemblance %.2f): but for names, texts and small edits the code is the same, and on equal seeds it mostly shows the same numbers, wants the same answers and pays the same",
			id, resemblance),
		Evidence: spade.Evidence{Literal: id},
	}})
	return nil
}

// Behaviour tells what an environment does under any names and in any theme: for each of the first lookSeeds seeds the
// numbers of the first observation and the answer of solution(), by its numbers or, where it has none, by the order in which
// such answers come up; then the rewards and ends of some episodes. It is nil for what no run would have admitted, and where
// nothing differs from seed to seed, which says too little to tell environments apart. A source that was judged lately is
// not run again.
func (a *Admission) Behaviour(ctx context.Context, source string) ([]string, error) {
	j, process, err := a.run(ctx, source, withoutMain(lex(source)), false)
	if err != nil {
		return nil, err
	}
	closeProcess(process)
	if j.fault != nil || !j.verdict.Admit {
		return nil, nil
	}
	return j.evidence.behaviour(), nil
}

func (e *evidence) behaviour() []string {
	var seen []string
	labels := make(map[string]string)
	differ := false
	for seed := range int64(lookSeeds) {
		l := e.plain.looks[seed]
		seen = append(seen, numbersOf(l.observation)+" | "+folded(l.solution, labels))
		differ = differ || seen[seed] != seen[0]
	}
	if !differ {
		return nil
	}
	for _, ep := range e.plain.order {
		var b strings.Builder
		for _, t := range ep.turns {
			fmt.Fprintf(&b, "%g %t %t ", t.step.Reward, t.step.Terminated, t.step.Truncated)
		}
		seen = append(seen, b.String())
	}
	return seen
}

func numbersOf(text string) string { return strings.Join(numberPattern.FindAllString(text, -1), " ") }

// folded returns the numbers of an answer, or a label for the answer if it has none.
func folded(answer string, labels map[string]string) string {
	if numbers := numbersOf(answer); numbers != "" {
		return numbers
	}
	content := strings.ToLower(strings.Join(slices.Collect(strings.FieldsSeq(answer)), " "))
	if labels[content] == "" {
		labels[content] = fmt.Sprintf("answer %d", len(labels)+1)
	}
	return labels[content]
}
