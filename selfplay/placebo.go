package selfplay

import (
	"cmp"
	"fmt"
	"slices"

	"spade"
	"spade/reward"
)

// likeHints is the number of other hints, those nearest in length, of which one is drawn as a placebo.
const likeHints = 5

// placebo returns the hint that a slot's environment is also played with, "" if it is not among those sampled. It is
// that of an environment that was remembered before this cycle, of another skill if there is one, of like length.
// Replays get none: they measure again what was measured.
func (l *Loop) placebo(cycle int, s *slot) string {
	own := s.force.Env
	if own.Hint == "" || s.replay {
		return ""
	}
	r := spade.Stream(l.Config.Seed, cycle, s.number, "placebo")
	if r.Float64() >= l.Config.PlaceboShare {
		return ""
	}
	var foreign, all []string
	for _, other := range s.others {
		if other.Hint == "" || other.Hint == own.Hint {
			continue
		}
		all = append(all, other.Hint)
		if other.Skill != own.Skill {
			foreign = append(foreign, other.Hint)
		}
	}
	if len(foreign) == 0 {
		foreign = all
	}
	if len(foreign) == 0 {
		return ""
	}
	slices.SortFunc(foreign, func(a, b string) int {
		return cmp.Or(cmp.Compare(abs(len(a)-len(own.Hint)), abs(len(b)-len(own.Hint))), cmp.Compare(a, b))
	})
	foreign = slices.Compact(foreign)
	return foreign[r.IntN(min(likeHints, len(foreign)))]
}

func abs(n int) int { return max(n, -n) }

// findSecrets notes through which word alone the hinted arm of each slot won. A blind win says that none is needed.
func findSecrets(slots []*slot) {
	for _, s := range slots {
		word, wins := reward.WithheldSecret(s.episodes)
		s.secret = word
		if wins > 0 || wonBlind(s.episodes) {
			s.force.Secrets = append(s.force.Secrets, word)
		}
	}
}

func wonBlind(episodes []spade.Episode) bool {
	return slices.ContainsFunc(episodes, func(e spade.Episode) bool { return e.Arm == spade.Unhinted && e.Counts() && e.Won() })
}

// secret is the word through which alone the hinted arm won in the whole window, "" if it ever won otherwise.
func (f *inForce) secret() string {
	if len(f.Secrets) == 0 || slices.Contains(f.Secrets, "") {
		return ""
	}
	return f.Secrets[0]
}

// warnOfRegret writes down in a design's verdict what part of the regret its designer is not rewarded for.
func warnOfRegret(f *inForce) {
	warn := func(code, format string, args ...any) {
		v := &f.Design.Verdict
		v.Warnings = append(slices.Clone(v.Warnings), spade.Warning{Code: code, Detail: fmt.Sprintf(format, args...)})
	}
	if word := f.secret(); word != "" {
		warn("withheld_secret", "every win of the hinted arm says %q, which the hint tells and no unhinted play saw or said: "+
			"the regret earns nothing", word)
	}
	if gain, _ := reward.PlaceboGain(f.Plays); gain > 0 {
		warn("any_hint", "another environment's hint raised the mean return by %.2f as well: that part of the regret earns nothing", gain)
	}
}

// countExplained measures how much of the regret of the cycle's own environments any hint explains, and counts those
// whose hint holds back a secret.
func countExplained(s *spade.CycleStats, slots []*slot, scores []spade.Score) {
	byEnv := make(map[string]spade.Score)
	for _, score := range scores {
		byEnv[score.EnvID] = score
	}
	var explained, whole float64
	for _, slot := range slots {
		if slot.replay {
			continue
		}
		if slot.secret != "" {
			s.Secrets++
		}
		if gain, ok := reward.PlaceboGain(slot.episodes); ok {
			regret := max(0, byEnv[slot.force.Env.ID].Regret)
			s.Placebos++
			explained += min(max(0, gain), regret)
			whole += regret
		}
	}
	if whole > 0 {
		s.RegretExplained = explained / whole
	}
}
