package admit

import (
	"context"
	"errors"
	"time"

	"spade/sandbox"
)

// view is what one process showed.
type view struct {
	looks    map[int64]look
	episodes map[episodeKey]*episode
	order    []*episode // as they were played
	faults   []seenFault
}

// look is the first observation on a seed and what solution() said to it.
type look struct {
	observation string
	solution    string
}

// seenFault is a fault with what led to it.
type seenFault struct {
	fault *sandbox.Fault
	// seed is nil if no seed had been given yet.
	seed    *int64
	actions []string
}

// episode returns the first episode of player on seed, nil if there was none.
func (v *view) episode(player string, seed int64) *episode {
	return v.episodes[episodeKey{player: player, seed: seed}]
}

// keep adds an episode to the view.
func (v *view) keep(ep *episode) {
	v.episodes[ep.episodeKey] = ep
	v.order = append(v.order, ep)
}

// lastFault returns the newest fault; there must be one.
func (v *view) lastFault() *sandbox.Fault { return v.faults[len(v.faults)-1].fault }

// errProcessGone ends a run after a fault that its process did not survive. The fault is in the view.
var errProcessGone = errors.New("the process is gone")

// run plays in one process and keeps what it shows.
type run struct {
	process  *sandbox.Process
	maxTurns int
	view     *view
	// apart says that episodes must be played one after the other, each operation in an exchange of its own.
	apart bool
	// left are the instances that nobody needs any more; they are closed along with what is asked next.
	left []*sandbox.Instance
	// enough says that what was seen can be judged if the process is worn out; sparing that what is left to play is spared
	// a process that is worn.
	enough, sparing bool
	// shared is the instance of inOne; reused is the same while its episodes are played, and nil otherwise.
	shared, reused *sandbox.Instance
}

// batch returns an empty list of operations, but for the end of the instances that were left.
func (r *run) batch() *sandbox.Batch {
	b := r.process.Batch()
	for _, env := range r.left {
		b.Close(env)
	}
	r.left = nil
	return b
}

// rest closes the instances that were left.
func (r *run) rest(ctx context.Context) error {
	if len(r.left) == 0 {
		return nil
	}
	return r.batch().Do(ctx)
}

// leave gives an instance up.
func (r *run) leave(env *sandbox.Instance) {
	if r.apart {
		env.Close()
	} else {
		r.left = append(r.left, env)
	}
}

func newRun(process *sandbox.Process, maxTurns int) *run {
	return &run{process: process, maxTurns: maxTurns, view: &view{
		looks:    make(map[int64]look),
		episodes: make(map[episodeKey]*episode),
	}}
}

// note keeps fault and returns errProcessGone unless the process can go on.
func (r *run) note(fault *sandbox.Fault, seed *int64, actions []string) error {
	if r.enough && fault.WornOut {
		return errWornOut
	}
	r.view.faults = append(r.view.faults, seenFault{fault: fault, seed: seed, actions: actions})
	if survivable(fault.Outcome) {
		return nil
	}
	return errProcessGone
}

// look resets one instance to each of seeds in turn and asks for its solution there. If played, it takes a step on
// each seed before it goes on to the next, so that every reset but the first follows some play. Where the first seed
// was quick the others go to the process together.
func (r *run) look(ctx context.Context, seeds []int64, played bool) error {
	env, fault, err := r.process.New(ctx, r.maxTurns)
	if err != nil {
		return err
	}
	if fault != nil {
		return r.note(fault, nil, nil)
	}
	defer r.leave(env)
	for i, seed := range seeds {
		begun := time.Now()
		sound, err := r.lookAt(ctx, env, seed, played)
		if err != nil || !sound { // an environment that fails on one seed is not asked about the others
			return err
		}
		if i == 0 && !r.apart && time.Since(begun) < quickLook {
			return r.lookTogether(ctx, env, seeds[1:], played)
		}
	}
	return nil
}

// quickLook is how long a seed may take at most if the others are to be looked at together: a small part of the time
// that they then have together.
const quickLook = 50 * time.Millisecond

// lookAt looks at one seed and reports whether there was no fault.
func (r *run) lookAt(ctx context.Context, env *sandbox.Instance, seed int64, played bool) (bool, error) {
	first, fault, err := env.Reset(ctx, seed)
	var solution sandbox.Solution
	if fault == nil && err == nil && r.process.HasSolution() {
		solution, fault, err = env.Solution(ctx)
	}
	if err != nil {
		return false, err
	}
	if fault != nil {
		return false, r.note(fault, &seed, nil)
	}
	r.view.looks[seed] = look{observation: first.Text, solution: solution.Text}
	if !played {
		return true, nil
	}
	_, fault, err = env.Step(ctx, idle)
	if err == nil && fault != nil {
		err = r.note(fault, &seed, []string{idle})
	}
	return fault == nil, err
}

// lookTogether looks at seeds as look does, in one batch.
func (r *run) lookTogether(ctx context.Context, env *sandbox.Instance, seeds []int64, played bool) error {
	b := r.batch()
	asked := make([]*glance, len(seeds))
	for i, seed := range seeds {
		asked[i] = newGlance(b, env, seed, r.process.HasSolution(), played)
	}
	if err := b.Do(ctx); err != nil {
		return err
	}
	for i, g := range asked {
		fault := g.fault()
		if err := r.lost(fault, true); err != nil {
			return err
		}
		if fault == nil || fault.Phase == "step" {
			r.view.looks[seeds[i]] = g.look()
		}
		if fault != nil {
			return r.note(fault, &seeds[i], g.actions(fault))
		}
	}
	return nil
}

// glance is what a batch is asked about one seed: its first observation, and the solution and a step where wanted.
type glance struct {
	first    *sandbox.Reply[sandbox.Observation]
	solution *sandbox.Reply[sandbox.Solution]
	step     *sandbox.Reply[sandbox.Step]
}

func newGlance(b *sandbox.Batch, env *sandbox.Instance, seed int64, solution, played bool) *glance {
	g := &glance{first: b.Reset(env, seed)}
	if solution {
		g.solution = b.Solution(env)
	}
	if played {
		g.step = b.Step(env, idle)
	}
	return g
}

// fault returns the first fault, nil if there was none.
func (g *glance) fault() *sandbox.Fault {
	switch {
	case g.first.Fault != nil:
		return g.first.Fault
	case g.solution != nil && g.solution.Fault != nil:
		return g.solution.Fault
	case g.step != nil:
		return g.step.Fault
	}
	return nil
}

func (g *glance) look() look {
	l := look{observation: g.first.Value.Text}
	if g.solution != nil {
		l.solution = g.solution.Value.Text
	}
	return l
}

// actions are those that led to a fault.
func (g *glance) actions(fault *sandbox.Fault) []string {
	if fault.Phase == "step" {
		return []string{idle}
	}
	return nil
}

// play plays one episode in an instance of its own and keeps it in the view.
func (r *run) play(ctx context.Context, key episodeKey, next move) (*episode, error) {
	ep := &episode{episodeKey: key}
	r.view.keep(ep)
	err := r.playOut(ctx, ep, next)
	if err == nil && ep.fault != nil {
		err = r.note(ep.fault, &ep.seed, ep.actions())
	}
	return ep, err
}

// inOne lets the episodes of play happen in one instance, which all later calls of inOne use again.
func (r *run) inOne(ctx context.Context, play func() error) error {
	if r.shared == nil {
		env, fault, err := r.process.New(ctx, r.maxTurns)
		if err != nil {
			return err
		}
		if fault != nil {
			return r.note(fault, nil, nil)
		}
		r.shared = env
	}
	r.reused = r.shared
	defer func() { r.reused = nil }()
	return play()
}
