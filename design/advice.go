package design

import "spade"

// advice says what usually helps against a reason of admission.
var advice = map[spade.Code]string{
	spade.Syntax:              "The block must hold the whole file, from its imports to its last method, as valid Python.",
	spade.LoadError:           "Import what is used, and define one class whose name ends in Env with reset and step; nothing may fail while the file is loaded or the class is made.",
	spade.ForbiddenImport:     "Do without that module: the standard library's pure parts are enough.",
	spade.Contract:            "reset returns (text, dict); step returns (text, float, bool, bool, dict) on every path and for every text.",
	spade.Nondeterministic:    "Draw from self.rng = random.Random(seed), made in reset, and from nothing else; sort before iterating over a set.",
	spade.UnseededGlobalState: "Use self.rng instead of the functions of the module random, and keep no state outside the object.",
	spade.Hang:                "Bound every loop and every search, also for strange input.",
	spade.Memory:              "Build nothing whose size grows without a bound.",
	spade.OutputTooLarge:      "Keep each observation short, and do not append to what was said before.",
	spade.RewardRange:         "Pay 1.0 for the win and 0.0 for everything else, once.",
	spade.NaNReward:           "Guard every division and parse numbers strictly: nan and inf are no numbers here.",
	spade.StepAfterDone:       "Remember that the episode is over, and let nothing be won afterwards.",
	spade.HiddenIO:            "Touch no files, no network and no environment variables.",
	spade.AnswerLeak:          "Take the answer out of what is shown before it has been found out.",
	spade.Trivial:             "Let the seed change what wins, and ask for more than one guess can decide.",
	spade.Unsolvable:          "Play the actions of solution() in your head: each must be accepted in the form in which it is given, and the last one must win in time.",
	spade.VerifierWrong:       "Compare the whole answer in a normal form; a near miss is wrong, and the last permitted turn counts.",
	spade.ExploitEmptyAction:  "An action that says nothing must never win.",
	spade.ExploitEcho:         "Repeating what is shown must never win.",
	spade.ExploitRandom:       "Ask for several right decisions in a row, so that chance does not win.",
	spade.OffTopic:            "Take objects and words from the passage.",
	spade.Duplicate:           "Write an environment with another mechanism, not another dress of the same one.",
}

// adviceOn returns the advice on the reasons of a verdict, each once, in their order.
func adviceOn(v spade.Verdict) []string {
	var lines []string
	seen := map[spade.Code]bool{}
	for _, r := range v.Reasons {
		if line := advice[r.Code]; line != "" && !seen[r.Code] {
			seen[r.Code] = true
			lines = append(lines, line)
		}
	}
	return lines
}
