package admit

import (
	"context"
	"fmt"

	"spade"
	"spade/sandbox"
)

// Config says how strictly an Admission judges. Default gives the usual values.
type Config struct {
	// MaxTurns is the run's turn budget; an environment's own budget counts where it is smaller. It is that of
	// play, so a run's configuration does not name it again.
	MaxTurns int `yaml:"-" json:"-"`
	// MinOverlap is the number of content words that an environment has to share with its passage (Overlap);
	// 0 turns that probe off.
	MinOverlap int `yaml:"min_overlap" json:"min_overlap"`
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
	// Fingerprint is Fingerprint(Source), for the caller's index.
	Fingerprint string
	// Process is a live process that has the environment loaded, for play to go on with. It is nil unless the
	// verdict admits and is packed. The caller closes it.
	Process *sandbox.Process
}

// Admission judges candidates. It is safe for concurrent use.
type Admission struct {
	sandbox *sandbox.Sandbox
	config  Config
}

// New returns an Admission that runs candidates in sb.
func New(sb *sandbox.Sandbox, config Config) *Admission {
	return &Admission{sandbox: sb, config: config}
}

// Judge decides whether c enters. index may be nil where there is no pool. The error is not nil only if the
// sandbox itself failed or ctx ended. Judging holds up to two of the sandbox's processes at a time.
func (a *Admission) Judge(ctx context.Context, c Candidate, index Index) (Result, error) {
	tokens := withoutMain(lex(c.Source))
	result := Result{Fingerprint: Fingerprint(c.Source), Verdict: newVerdict()}
	if !pass(&result.Verdict, "source", sourceReasons(c.Source, tokens, result.Fingerprint, index)) {
		return result, nil
	}
	process, fault, err := a.load(ctx, c.Source, sandbox.LoadOptions{})
	if err != nil {
		return Result{}, err
	}
	if fault != nil {
		pass(&result.Verdict, "load", []spade.Reason{faultReason(fault, nil, nil)})
		return result, nil
	}
	result.Class, result.Kind = process.Class(), process.Kind()
	if !pass(&result.Verdict, "grounding", groundingReasons(tokens, c.Passage, a.config.MinOverlap)) {
		process.Close()
		return result, nil
	}
	e, err := a.gather(ctx, c.Source, tokens, process)
	if err != nil {
		process.Close()
		return Result{}, err
	}
	judge(&result.Verdict, e)
	result.Hint = judgeHint(c.Hint, c.Source, e)
	if result.Verdict.Admit && result.Verdict.Packed {
		result.Process = process
	} else {
		process.Close()
	}
	return result, nil
}
