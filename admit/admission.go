package admit

import (
	"context"
	"fmt"
	"time"

	"spade"
	"spade/sandbox"
)

// Config says how strictly an Admission judges. Default gives the usual values.
type Config struct {
	// MaxTurns is the run's turn budget; an environment's own budget counts where it is smaller. It is that of
	// play, so a run's configuration does not name it again.
	MaxTurns int `yaml:"-" json:"-"`
	// MinOverlap is the number of content words that an environment has to share with its passage (Grounding);
	// 0 turns that probe off.
	MinOverlap int `yaml:"min_overlap" json:"min_overlap"`
	// NearDuplicates says that near-duplicates of what is in the pool or in memory are refused, and not only copies. It is
	// off by default: the environments of the embedded model share one shell and few mechanics by construction.
	NearDuplicates bool `yaml:"near_duplicates" json:"near_duplicates,omitempty"`
}

// Default returns a budget of 25 turns and an overlap of at least 2 content words.
func Default() Config { return Config{MaxTurns: 25, MinOverlap: 2} }

// Validate reports the first setting that makes no sense.
func (c Config) Validate() error {
	if c.MinOverlap < 0 {
		return fmt.Errorf("admit.min_overlap is %d: it must not be negative", c.MinOverlap)
	}
	return nil
}

// Candidate is what is to be judged.
type Candidate struct {
	// Source is the whole Python file.
	Source string
	// Hint is its hint, "" if it has none.
	Hint string
	// Passage is what it claims to be grounded on, nil if it is ungrounded.
	Passage *spade.Passage
}

// Index knows the environments that are already in the pool or in memory.
type Index interface {
	// Seen returns the id of an environment with the given Fingerprint, if there is one.
	Seen(fingerprint string) (id string, ok bool)
	// Near returns the environment that the one with the given source is a near-duplicate of, and their resemblance in
	// (0, 1]; "" if there is none. behaviour tells what an environment does (see Behaviour); Near asks it only about
	// environments whose sources are alike. It is called for environments that all probes let pass.
	Near(source string, behaviour func(source string) ([]string, error)) (id string, resemblance float64, err error)
}

// Result is what became of a candidate.
type Result struct {
	Verdict spade.Verdict
	// Hint is the verdict on the hint: nil if there is none, or if the environment itself was refused before its
	// solutions were seen.
	Hint *spade.Verdict
	// Class and Kind are "" where the source could not be loaded.
	Class string
	Kind  spade.Kind
	// Grounding is measured whatever the verdict, where there is a passage; else it is nil.
	Grounding *Grounding
	// Costs is what playing it has cost, part by part; nil if it was not played, or was judged before. It holds
	// clocks and so belongs in no record.
	Costs []Cost
	// Fingerprint is Fingerprint(Source), for the caller's index.
	Fingerprint string
	// Process is a live process that has the environment loaded, for play to go on with. It is nil unless the
	// verdict admits, is packed and was reached just now, and where that has used up much of it. The caller closes it.
	Process *sandbox.Process
}

// Cost is what one part of the plan took in the plain process.
type Cost struct {
	Part     string
	Episodes int
	Turns    int
	Wall     time.Duration
}

// Admission judges candidates. It is safe for concurrent use.
type Admission struct {
	sandbox *sandbox.Sandbox
	config  Config
	auditor Auditor
	cache   *cache
}

// New returns an Admission that runs candidates in sb.
func New(sb *sandbox.Sandbox, config Config) *Admission {
	return &Admission{sandbox: sb, config: config, cache: newCache()}
}

// Audited returns an Admission like a that also asks auditor about what it would admit; nil asks nobody.
func (a *Admission) Audited(auditor Auditor) *Admission {
	return &Admission{sandbox: a.sandbox, config: a.config, auditor: auditor, cache: newCache()}
}

// Judge decides whether c enters. index may be nil where there is no pool. A source that was run before is not run
// again. The error is not nil only if the sandbox itself failed or ctx ended. Judging holds up to two of the sandbox's
// processes at a time, three with NearDuplicates.
func (a *Admission) Judge(ctx context.Context, c Candidate, index Index) (Result, error) {
	tokens := withoutMain(lex(c.Source))
	result := Result{
		Fingerprint: Fingerprint(c.Source), Verdict: newVerdict(),
		Grounding: measureGrounding(tokens, c.Passage, a.config.MinOverlap),
	}
	if !pass(&result.Verdict, "source", sourceReasons(c.Source, tokens, result.Fingerprint, index)) {
		return result, nil
	}
	ungrounded := result.Grounding.reasons()
	j, process, err := a.run(ctx, c.Source, tokens, len(ungrounded) > 0)
	if err != nil {
		return Result{}, err
	}
	defer func() {
		if result.Process == nil {
			closeProcess(process)
		}
	}()
	result.Class, result.Kind = j.class, j.kind
	switch {
	case j.fault != nil:
		pass(&result.Verdict, "load", []spade.Reason{faultReason(j.fault, nil, nil)})
		return result, nil
	case !namedEnv(j.class):
		pass(&result.Verdict, "load", []spade.Reason{misnamed(j.class)})
		return result, nil
	case len(ungrounded) > 0:
		pass(&result.Verdict, "grounding", ungrounded)
		return result, nil
	}
	result.Verdict, result.Costs = cloneVerdict(j.verdict), j.costs
	if err := a.compare(ctx, &result.Verdict, c.Source, index); err != nil {
		return Result{}, err
	}
	if result.Hint, err = a.judgeHint(ctx, c, j, process); err != nil {
		return Result{}, err
	}
	if result.Verdict.Admit && result.Verdict.Packed && process != nil {
		result.Process = fit(process) // the hint may have been too much for it
	}
	return result, nil
}

// run loads source, lets it be played unless loadOnly, and judges what shows. It returns the process that is left, nil
// if there is none or the source was run before.
func (a *Admission) run(ctx context.Context, source string, tokens []token, loadOnly bool) (*judged, *sandbox.Process, error) {
	id := spade.ContentID(source)
	if j := a.cache.get(id); j != nil {
		return j, nil, nil
	}
	process, fault, err := a.load(ctx, source, sandbox.LoadOptions{})
	if err != nil {
		return nil, nil, err
	}
	if fault != nil {
		j := &judged{fault: fault}
		a.cache.put(id, j)
		return j, nil, nil
	}
	j := &judged{class: process.Class(), kind: process.Kind(), verdict: newVerdict()}
	j.verdict.Warnings = append(j.verdict.Warnings, otherClasses(tokens, j.class)...)
	if loadOnly || !namedEnv(j.class) {
		return j, process, nil
	}
	e, err := a.gather(ctx, source, tokens, process)
	if err != nil {
		return nil, nil, err
	}
	judge(&j.verdict, e)
	if err := a.audit(ctx, &j.verdict, source, e); err != nil {
		closeProcess(e.process)
		return nil, nil, err
	}
	j.evidence, j.costs = e.forHints(), e.costs
	a.cache.put(id, j)
	return j, e.process, nil
}
