package admit

import (
	"slices"

	"spade"
)

// probe reads what the survey saw and returns what it finds.
type probe func(*evidence) []spade.Reason

// stage is a set of probes whose reasons are reported together.
type stage struct {
	name   string
	probes []probe
}

// surveyStages are the stages that read the survey, in order. The stages before them (source, load, grounding)
// need no play.
var surveyStages = []stage{
	{"contract", []probe{faultsSeen, rewardsInRange}},
	{"determinism", []probe{runsAgree}},
	{"seeds", []probe{seedsMatter, placesMatter}},
	{"witness", []probe{solutionWins, actionsAloneWin, lastTurnCounts, doneIsDone}},
	{"guess", []probe{answersAreDecided}},
	{"leaks", []probe{answerIsHidden}},
	{"exploits", []probe{blindPlayLoses, randomPlayLoses, targetIsNoAnswer, nearMissesLose}},
}

// newVerdict returns a verdict whose lists are empty and not nil, so that they print as [].
func newVerdict() spade.Verdict {
	return spade.Verdict{Reasons: []spade.Reason{}, Warnings: []spade.Warning{}}
}

// cloneVerdict returns a verdict whose lists are its own.
func cloneVerdict(v spade.Verdict) spade.Verdict {
	v.Reasons, v.Warnings = slices.Clone(v.Reasons), slices.Clone(v.Warnings)
	return v
}

// pass records that stage ran and what it found, and reports whether the candidate got through.
func pass(v *spade.Verdict, stage string, reasons []spade.Reason) bool {
	v.Stage = stage
	v.Reasons = append(v.Reasons, reasons...)
	return len(reasons) == 0
}

// judge runs the stages on e until one finds a reason.
func judge(v *spade.Verdict, e *evidence) {
	for _, s := range surveyStages {
		var reasons []spade.Reason
		for _, p := range s.probes {
			reasons = append(reasons, p(e)...)
		}
		if !pass(v, s.name, firstOfEach(reasons)) {
			return
		}
	}
	v.Admit = true
	v.Packed = e.packed
	v.Warnings = append(v.Warnings, noWitness(e)...)
	v.Warnings = append(v.Warnings, solutionFails(e)...)
	v.Warnings = append(v.Warnings, sharedState(e)...)
	if e.slow {
		v.Warnings = append(v.Warnings, spade.Warning{
			Code:   "slow",
			Detail: "it answers so slowly that exploits were not all looked for",
		})
	}
}

// firstOfEach keeps the first reason of each code: several players find one fault.
func firstOfEach(reasons []spade.Reason) []spade.Reason {
	seen := make(map[spade.Code]bool)
	return slices.DeleteFunc(reasons, func(r spade.Reason) bool {
		again := seen[r.Code]
		seen[r.Code] = true
		return again
	})
}
