package lab

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Machine plays and reads the runs of a lab.
type Machine interface {
	// Prepare makes a warm start unless it is there. It is called once for each, before the first run that needs it.
	Prepare(ctx context.Context, w WarmStart) error
	// Play brings the run of a cell to its end, from wherever it is, and calls cycle for every cycle that it commits.
	Play(ctx context.Context, c Cell, cycle func(number int)) error
	// Read returns a run that has been played to its end.
	Read(c Cell) (Run, error)
}

// Progress is told what a lab does: a cell's run has committed a cycle, or, with Done, is over.
type Progress struct {
	Cell  Cell
	Cycle int
	// Done says that the run is over, and Finished how many of Total are.
	Done            bool
	Finished, Total int
}

// Execute plays every run of the plan, parallel at a time, and returns those that are over in the order of the plan. After
// each run that ends it calls each with the runs that are over. A run that fails takes no other with it: the error names
// all that failed. An error of each, or the end of ctx, stops everything. What was played stays played: executing the plan
// again continues.
func Execute(ctx context.Context, p Plan, m Machine, parallel int, tell func(Progress), each func([]Run) error) ([]Run, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	cells := p.Cells()
	e := &execution{plan: p, machine: m, tell: tell, each: each, runs: make([]*Run, len(cells)), starts: map[WarmStart]*sync.Once{}, failed: map[WarmStart]error{}}
	failures := make([]error, len(cells))
	for _, c := range cells {
		e.starts[c.WarmStart()] = new(sync.Once)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for i, c := range cells {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			run, err := e.play(ctx, c)
			if err != nil {
				failures[i] = fmt.Errorf("run %s: %w", c.Name(), err)
				return ctx.Err()
			}
			return e.finish(i, run)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return e.over(), errors.Join(failures...)
}

type execution struct {
	plan    Plan
	machine Machine
	tell    func(Progress)
	each    func([]Run) error
	starts  map[WarmStart]*sync.Once

	mu     sync.Mutex
	failed map[WarmStart]error
	// runs are those that are over, by the index of their cell.
	runs []*Run
}

func (e *execution) play(ctx context.Context, c Cell) (Run, error) {
	if err := e.prepare(ctx, c.WarmStart()); err != nil {
		return Run{}, err
	}
	err := e.machine.Play(ctx, c, func(number int) { e.report(Progress{Cell: c, Cycle: number}) })
	if err != nil {
		return Run{}, err
	}
	return e.machine.Read(c)
}

// finish puts down that the run of a cell is over.
func (e *execution) finish(i int, run Run) error {
	e.mu.Lock()
	e.runs[i] = &run
	over := e.over()
	err := e.each(over)
	e.mu.Unlock()
	e.report(Progress{Cell: run.Cell, Cycle: e.plan.Cycles, Done: true, Finished: len(over), Total: len(e.runs)})
	return err
}

func (e *execution) prepare(ctx context.Context, w WarmStart) error {
	if w.Shipped() {
		return nil
	}
	e.starts[w].Do(func() {
		err := e.machine.Prepare(ctx, w)
		e.mu.Lock()
		defer e.mu.Unlock()
		e.failed[w] = err
	})
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.failed[w]
}

func (e *execution) over() []Run {
	var over []Run
	for _, r := range e.runs {
		if r != nil {
			over = append(over, *r)
		}
	}
	return over
}

func (e *execution) report(p Progress) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.tell != nil {
		e.tell(p)
	}
}
