package sandbox

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// tiers are the jails that every test of what a sandbox promises runs in. Where we are root, the weaker ones need a
// Python that every user can read.
var tiers = map[string]Config{
	"full":     {},
	"degraded": {Degraded: true, noNamespaces: true, Python: publicPython()},
	"gvisor":   {Gvisor: true, Python: publicPython()},
}

// publicPython is one that every user can read.
func publicPython() string {
	for _, path := range []string{"/usr/bin/python3", "/usr/local/bin/python3"} {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}

// A difference is something that a tier does otherwise than the full one. docs/sandbox.md has the same list, and no
// test of a tier expects less than the full one without it.
type difference struct {
	tier, what, why string
	// attacks are those of attacks.json that end otherwise for it.
	attacks []string
}

const (
	noFiles    = "no file can be written, not even in /tmp"
	noThreads  = "no thread can be started"
	endsJail   = "machine code that enters the processor's 32-bit mode may end the jail; the others' episodes are played again, and an environment that does it twice is refused"
	lateIsLate = "a process that is late has wall_timeout, whether it computes or waits"
)

var differences = []difference{
	{"degraded", noThreads, "nothing could count them", []string{"threads-work", "hang-threads"}},
	{"degraded", noFiles, "nothing could bound them", nil},
	{"degraded", "whether a path of the host exists can be asked", "landlock does not cover stat; nothing in it can be read or listed", []string{"proc-snoop"}},
	{"degraded", "names in the standard library's own site-packages can be listed", "landlock cannot hide part of a folder", nil},
	{"degraded", "processes have the host's numbers", "there is no pid namespace; nothing can be done with a number", nil},
	{"gvisor", noFiles, "instances get no mount of their own", nil},
	{"gvisor", "an empty /proc exists", "gVisor makes one", []string{"proc-snoop"}},
	{"gvisor", "int 0x80 is a call like any other", "gVisor takes it for one of the ordinary kind, which the same filter judges", []string{"i386-abi"}},
	{"gvisor", endsJail, "the ptrace platform of runsc 20221219 panics when it sets the registers of such a process; no system call is made that could be refused", nil},
	{"gvisor", lateIsLate, "its processes have no clock that can be read from outside", nil},
}

// differs reports whether a tier has the difference.
func differs(tier, what string) bool {
	return slices.ContainsFunc(differences, func(d difference) bool { return d.tier == tier && d.what == what })
}

// weaker reports whether the attack may end otherwise in a tier.
func weaker(tier, attack string) bool {
	return slices.ContainsFunc(differences, func(d difference) bool { return d.tier == tier && slices.Contains(d.attacks, attack) })
}

func TestDifferencesAreDocumented(t *testing.T) {
	if _, err := os.Stat("../docs"); err != nil {
		t.Skip("the documents are elsewhere")
	}
	page, err := os.ReadFile("../docs/sandbox.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		if line := "| " + d.tier + " | " + d.what + " | " + d.why + " |"; !strings.Contains(string(page), line) {
			t.Errorf("docs/sandbox.md lacks %q", line)
		}
	}
}

// TestConformance holds every tier to what the sandbox promises.
func TestConformance(t *testing.T) {
	for tier, config := range tiers {
		t.Run(tier, func(t *testing.T) {
			for _, group := range conformance {
				t.Run(group.name, func(t *testing.T) {
					config.Limits = group.limits
					s := open(t, config)
					for name, check := range group.checks {
						t.Run(name, func(t *testing.T) { check(t, tier, s) })
					}
				})
			}
		})
	}
}

// conformance are the checks, by the limits that they need.
var conformance = []struct {
	name   string
	limits Limits
	checks map[string]func(*testing.T, string, *Sandbox)
}{
	{"patient", patient, map[string]func(*testing.T, string, *Sandbox){
		"Environments": checkEnvironments, "ToolUse": checkToolUse, "Names": checkNames, "Unseeded": checkUnseeded,
		"ClassChoice": checkClassChoice, "MaxTurns": checkMaxTurns, "HashSeeds": checkHashSeeds,
		"Packed": checkPacked, "PackedBoundary": checkPackedBoundary, "Program": checkProgram,
		"Printed": checkPrinted, "Terminal": checkTerminal, "UnaskedFrame": checkUnaskedFrame, "Cancel": checkCancel, "Threads": checkThreads,
		"LargestAnswer": checkLargestAnswer, "Restless": checkRestless,
		"Batch": checkBatch, "BatchEnds": checkBatchEnds, "BatchFaults": checkBatchFaults, "BatchLeftOut": checkBatchLeftOut,
	}},
	{"quick", quick, map[string]func(*testing.T, string, *Sandbox){"Outcomes": checkOutcomes, "LoadFaults": checkLoadFaults, "BatchHangs": checkBatchHangs}},
	{"little memory", Limits{Step: time.Minute, Memory: 64 << 20}, map[string]func(*testing.T, string, *Sandbox){
		"MemoryPieceByPiece": checkMemoryPieceByPiece}},
	{"short episodes", Limits{Episode: time.Second}, map[string]func(*testing.T, string, *Sandbox){"EpisodeLimit": checkEpisodeLimit}},
	{"short environments", Limits{Step: time.Minute, Environment: time.Second}, map[string]func(*testing.T, string, *Sandbox){
		"EnvironmentLimit": checkEnvironmentLimit, "AloneShares": checkAloneShares}},
	{"little time", Limits{Step: 5 * time.Second, CPU: time.Second}, map[string]func(*testing.T, string, *Sandbox){"CPULimit": checkCPULimit, "WornOut": checkWornOut}},
}
