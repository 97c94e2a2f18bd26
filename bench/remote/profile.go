package remote

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// share is the part of a program's processor time that one kind of work took.
type share struct {
	name  string
	share float64
}

// works are the kinds of work that are told apart, in the order in which they are shown.
var works = []string{"server_sockets", "jail_sockets", "http", "json", "jail_protocol", "loop", "memory", "scheduler", "rest"}

// profileShares says what a profile of processor time consists of.
func profileShares(data []byte) ([]share, error) {
	p, err := profile.Parse(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read the profile: %w", err)
	}
	times, total := map[string]int64{}, int64(0)
	for _, s := range p.Sample {
		spent := s.Value[len(s.Value)-1]
		times[work(functions(s))] += spent
		total += spent
	}
	shares := make([]share, len(works))
	for i, name := range works {
		shares[i] = share{name, float64(times[name]) / float64(max(1, total))}
	}
	return shares, nil
}

// functions are the names of those under way in a sample, the innermost first.
func functions(s *profile.Sample) []string {
	var names []string
	for _, location := range s.Location {
		for _, line := range location.Line {
			if line.Function != nil {
				names = append(names, line.Function.Name)
			}
		}
	}
	return names
}

// work names what a stack of functions was doing: collecting or allocating memory, wherever that was needed; a system
// call, by whose connection it was for; else what the innermost function of a package that is told apart belongs to.
func work(stack []string) string {
	called := func(prefixes ...string) bool {
		return slices.ContainsFunc(stack, func(name string) bool {
			return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
		})
	}
	switch {
	case called("runtime.gc", "runtime.mallocgc", "runtime.growslice", "runtime.bgsweep", "runtime.bgscavenge"):
		return "memory"
	case called("syscall.", "internal/runtime/syscall") && called("net.("):
		return "server_sockets"
	case called("syscall.", "internal/runtime/syscall") && called("spade/sandbox."):
		return "jail_sockets"
	}
	for _, name := range stack {
		for _, of := range []struct{ prefix, work string }{
			{"encoding/json", "json"}, {"net", "http"}, {"bufio.", "http"}, {"context.", "http"},
			{"spade/sandbox", "jail_protocol"}, {"spade/", "loop"},
		} {
			if strings.HasPrefix(name, of.prefix) {
				return of.work
			}
		}
	}
	if called("runtime.mcall", "runtime.schedule", "runtime.findRunnable", "runtime.mstart", "runtime.sysmon") {
		return "scheduler"
	}
	return "rest"
}
