package admit

import (
	"fmt"
	"slices"
	"strings"

	"spade"
	"spade/sandbox"
)

// faultCodes maps what the sandbox saw to the reason of a refusal. SandboxError is not in it: that is our
// machinery and no verdict.
var faultCodes = map[spade.Outcome]spade.Code{
	spade.EnvError:           spade.Contract,
	spade.EnvExit:            spade.Contract,
	spade.WallTimeout:        spade.Hang,
	spade.CPULimit:           spade.Hang,
	spade.MemoryLimit:        spade.Memory,
	spade.OutputLimit:        spade.OutputTooLarge,
	spade.InvalidReward:      spade.NaNReward,
	spade.InvalidObservation: spade.Contract,
	spade.ProtocolViolation:  spade.HiddenIO,
}

// phaseCodes overrides faultCodes for an environment that raised, left or has the wrong shape before it was
// first reset.
var phaseCodes = map[string]spade.Code{
	"syntax":    spade.Syntax,
	"load":      spade.LoadError,
	"construct": spade.LoadError,
}

// fileErrors are Python's exceptions for files that cannot be had: an environment that meets one reaches outside.
var fileErrors = []string{"PermissionError", "FileNotFoundError", "FileExistsError", "OSError", "IsADirectoryError", "NotADirectoryError"}

// faultCode returns the reason that fault stands for.
func faultCode(fault *sandbox.Fault) spade.Code {
	code := faultCodes[fault.Outcome]
	exception, _, _ := strings.Cut(fault.Message, ":")
	switch {
	case fault.WornOut:
		return spade.Contract // it answered each time: that is no hanging
	case fault.Outcome == spade.EnvError && slices.Contains(fileErrors, exception):
		return spade.HiddenIO
	case fault.Outcome == spade.InvalidReward && strings.HasSuffix(fault.Message, "not a number"):
		return spade.Contract
	}
	if early, ok := phaseCodes[fault.Phase]; ok && code == spade.Contract {
		return early
	}
	return code
}

// faultReason turns fault into a reason; seed and actions say how to see it again.
func faultReason(fault *sandbox.Fault, seed *int64, actions []string) spade.Reason {
	what := fault.Phase
	if n := len(actions); n > 0 && fault.Phase == "step" {
		what = fmt.Sprintf("step on %s", quote(shorten(actions[n-1], 80)))
	}
	code, detail := faultCode(fault), fmt.Sprintf("%s: %s", what, fault.Message)
	if code == spade.HiddenIO && fault.Outcome == spade.EnvError {
		detail = "it reaches for a file, which an environment may not: " + detail
	}
	if fault.WornOut {
		detail = "it is too slow to be judged: " + detail
	}
	return spade.Reason{
		Code:   code,
		Detail: detail,
		Evidence: spade.Evidence{
			Seed:    seed,
			Actions: cutAll(actions),
			Trace:   fault.Trace,
		},
	}
}
