// Package admission measures what it costs to judge environments.
//
// It owns the figures of `spade bench admit`. It owns no judgement: that is admit's. It runs when a user asks for it.
package admission

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/admit"
	"spade/bench"
	"spade/examples"
	"spade/library"
	"spade/sandbox"
	sandboxbench "spade/sandbox/bench"
)

// What is asked for, in milliseconds at the median on one core.
const (
	smallTarget = 60  // the embedded model's 12 to 16 lines, in a warm sandbox
	cleanTarget = 250 // a clean environment of 100 to 400 lines, beyond its own time
)

// clean are the worked environments of 100 to 400 lines.
var clean = []string{"signal_lab", "rotating_maze", "parcel_desk", "thermodynamics_lab", "car_ownership_dispute"}

// Run measures on one core: admissions of small and of clean environments, the processor time of a small one with its
// processes (small_cpu_ms) and its parts, a verdict that is kept, and an environment that hangs. Each is judged rounds times. The times hold the environment's own. progress is told
// what is being measured.
func Run(ctx context.Context, rounds int, progress func(what string)) ([]bench.Figure, error) {
	undo, err := sandboxbench.OnOneCore()
	if err != nil {
		return nil, err
	}
	defer undo()
	jail, err := sandbox.Open(ctx, sandbox.Config{})
	if err != nil {
		return nil, err
	}
	defer jail.Close()
	m := &meter{ctx: ctx, jail: jail, parts: map[string][]float64{}}
	var figures []bench.Figure
	progress("environments of the embedded model")
	before := sandboxbench.Spent()
	small, err := m.judge(rounds, func(i int) string {
		return library.Sample(spade.Stream(1, 0, i, "bench admit"), library.Options{}).Source
	})
	if err != nil {
		return nil, err
	}
	spent := sandboxbench.Spent() - before
	figures = append(figures, atMost("small_ms", small, smallTarget),
		bench.Plain("small_cpu_ms", milliseconds(spent)/float64(rounds+1), "ms"))
	for _, part := range m.order {
		figures = append(figures, bench.Plain("small_"+part+"_ms", bench.Median(m.parts[part]), "ms"))
	}
	for _, name := range clean {
		progress(name)
		source, err := examples.Files.ReadFile(name + ".py")
		if err != nil {
			return nil, fmt.Errorf("read an example: %w", err)
		}
		ms, err := m.judge(rounds, func(int) string { return string(source) })
		if err != nil {
			return nil, err
		}
		figures = append(figures, atMost(name+"_ms", ms, cleanTarget))
	}
	progress("a verdict that is kept, many at a time, one that hangs")
	kept, err := m.kept()
	if err != nil {
		return nil, err
	}
	many, err := m.many(rounds)
	if err != nil {
		return nil, err
	}
	hang, err := m.hang()
	if err != nil {
		return nil, err
	}
	return append(figures, kept.of("small_ms", small), many.of("small_ms", small), hang), nil
}

// compared is a figure that has not yet been compared.
type compared bench.Figure

func (c compared) of(against string, ms float64) bench.Figure {
	c.Against, c.Ratio = against, c.Value/ms
	return bench.Figure(c)
}

func atMost(name string, ms, target float64) bench.Figure {
	return bench.Figure{Name: name, Value: ms, Unit: "ms", Against: "target", Ratio: ms / target,
		Target: fmt.Sprintf("<= %g ms", target), Holds: ms <= target}
}

// meter judges in one warm sandbox and keeps what the parts of the plan took.
type meter struct {
	ctx   context.Context
	jail  *sandbox.Sandbox
	parts map[string][]float64
	order []string
}

// judge returns the median time, in milliseconds, of judging source(0), source(1), … as if each had never been seen. One
// that is not counted warms up.
func (m *meter) judge(rounds int, source func(int) string) (float64, error) {
	var took []float64
	for i := range rounds + 1 {
		begun := time.Now()
		result, err := m.once(admit.New(m.jail, admit.Default()), source(i))
		if err != nil {
			return 0, err
		}
		if !result.Verdict.Admit {
			return 0, fmt.Errorf("an environment of the benchmark is refused: %+v", result.Verdict.Reasons)
		}
		if i == 0 {
			continue
		}
		took = append(took, milliseconds(time.Since(begun)))
		if len(took) == 1 && len(m.order) == 0 {
			for _, cost := range result.Costs {
				m.order = append(m.order, partName(cost.Part))
			}
		}
		for _, cost := range result.Costs {
			name := partName(cost.Part)
			m.parts[name] = append(m.parts[name], milliseconds(cost.Wall))
		}
	}
	return bench.Median(took), nil
}

func (m *meter) once(admission *admit.Admission, source string) (admit.Result, error) {
	result, err := admission.Judge(m.ctx, admit.Candidate{Source: source}, nil)
	if result.Process != nil {
		result.Process.Close()
	}
	return result, err
}

// kept measures the second judgement of a source.
func (m *meter) kept() (compared, error) {
	admission := admit.New(m.jail, admit.Default())
	source := library.Sample(spade.Stream(1, 0, 0, "bench admit"), library.Options{}).Source
	if _, err := m.once(admission, source); err != nil {
		return compared{}, err
	}
	begun := time.Now()
	_, err := m.once(admission, source)
	return compared(bench.Plain("kept_verdict_ms", milliseconds(time.Since(begun)), "ms")), err
}

// many measures one of several admissions at the same time.
func (m *meter) many(rounds int) (compared, error) {
	group, begun := new(errgroup.Group), time.Now()
	group.SetLimit(8)
	for i := range rounds {
		group.Go(func() error {
			_, err := m.once(admit.New(m.jail, admit.Default()), library.Sample(spade.Stream(2, 0, i, "bench admit"), library.Options{}).Source)
			return err
		})
	}
	err := group.Wait()
	return compared(bench.Plain("one_of_many_ms", milliseconds(time.Since(begun))/float64(rounds), "ms")), err
}

// hanging never answers a number.
const hanging = `import random
class HangEnv:
    def reset(self, seed=None):
        self.n = random.Random(seed).randrange(1000)
        return "Say the number.", {}
    def step(self, action):
        while "7" in action or "0" in action:
            pass
        return "no", 0.0, False, False, {}
`

// hang measures an environment that hangs against the limits of a step, of which it may use up two in each process.
func (m *meter) hang() (bench.Figure, error) {
	begun := time.Now()
	result, err := m.once(admit.New(m.jail, admit.Default()), hanging)
	if err == nil && !result.Verdict.Has(spade.Hang) {
		err = fmt.Errorf("an environment that hangs is judged %+v", result.Verdict)
	}
	limit := sandbox.DefaultLimits().Step.Seconds()
	seconds := time.Since(begun).Seconds()
	return bench.Figure{Name: "hanging_s", Value: seconds, Unit: "s", Against: "limit of a step", Ratio: seconds / limit,
		Target: "ratio <= 5", Holds: seconds <= 5*limit}, err
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// partName names a part of the plan as figures are named.
func partName(part string) string {
	name := []byte(part)
	for i, c := range name {
		if c == ' ' {
			name[i] = '_'
		}
	}
	return string(name)
}
