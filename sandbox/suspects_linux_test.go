package sandbox

import (
	"encoding/json"
	"fmt"
	"runtime"
	"testing"

	"spade"
)

// farCode is the attack whose machine code enters the 32-bit mode of the processor.
const farCode = "thirty-two-bit-code"

// endJail ends the jail of a process as if something in it had done so, and returns what the process makes of it.
func endJail(t *testing.T, s *Sandbox, p *Process, f flavour) *Fault {
	t.Helper()
	i := instance(t, p)
	s.mu.Lock()
	server := s.servers[f].server
	s.mu.Unlock()
	server.cmd.Process.Kill()
	<-server.dead
	_, fault, err := i.Step(t.Context(), "x")
	if err != nil || fault == nil {
		t.Fatalf("a process outlived its jail: %v, %v", fault, err)
	}
	return fault
}

// TestSuspects: whoever was in a jail that ended gets one of its own. Who ends that too is refused, and who does not
// returns to the others.
func TestSuspects(t *testing.T) {
	s := open(t, Config{})
	sources := map[string]string{"guilty": trivial + "# guilty\n", "innocent": trivial + "# innocent\n"}
	innocent := load(t, s, sources["innocent"])
	bystander := instance(t, innocent)
	if fault := endJail(t, s, load(t, s, sources["guilty"]), flavour{}); fault.Outcome != spade.SandboxError {
		t.Errorf("the first time: %v", fault)
	}
	if _, fault, err := bystander.Step(t.Context(), "x"); err != nil || fault == nil || fault.Outcome != spade.SandboxError {
		t.Errorf("a neighbour: %v, %v", fault, err)
	}

	own := map[string]flavour{}
	for name, source := range sources {
		own[name] = flavour{owner: identify(source)}
	}
	innocent = load(t, s, sources["innocent"])
	instance(t, innocent)
	guilty := load(t, s, sources["guilty"])
	if fault := endJail(t, s, guilty, own["guilty"]); fault.Outcome != spade.EnvExit {
		t.Errorf("the second time: %v", fault)
	}
	for range 2 {
		_, fault, err := s.Load(t.Context(), sources["guilty"], LoadOptions{})
		if err != nil || fault == nil || fault.Outcome != spade.EnvExit || fault.Phase != "load" {
			t.Errorf("loading it again: %v, %v", fault, err)
		}
	}
	if !innocent.Alive() || s.servers[own["innocent"]] == nil {
		t.Error("the innocent one has no jail of its own")
	}
	innocent.Close()
	<-innocent.child.exited
	s.closing.Wait()
	if s.suspects.owner(own["innocent"].owner) != (sourceID{}) {
		t.Error("the innocent one is still a suspect")
	}
	s.mu.Lock()
	if s.servers[own["innocent"]] != nil {
		t.Error("its jail is left")
	}
	s.mu.Unlock()
	instance(t, load(t, s, sources["innocent"]))
}

// TestSuspectsMany: jails that end with environments in them do not count as failures of ours, however many they are.
func TestSuspectsMany(t *testing.T) {
	s := open(t, Config{})
	for n := range deathsAllowed + 2 {
		if fault := endJail(t, s, load(t, s, fmt.Sprintf("%s# %d\n", trivial, n)), flavour{}); fault.Outcome != spade.SandboxError {
			t.Fatalf("jail %d: %v", n, fault)
		}
	}
}

// TestFarCode: in gVisor machine code may end the jail. Others lose nothing that is not played again, and who does it
// is refused in the end.
func TestFarCode(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the attack is machine code of x86_64")
	}
	s := open(t, tiers["gvisor"])
	var code string
	for _, a := range readAttacks(t) {
		if a.Name == farCode {
			code = a.Code
		}
	}
	encoded, err := json.Marshal(code)
	if err != nil {
		t.Fatal(err)
	}
	attack := fmt.Sprintf(attackPreamble, 0, "", encoded) + attackForms["probe"]
	neighbour := func() *Instance {
		i := instance(t, load(t, s, trivial))
		if _, fault, err := i.Reset(t.Context(), 1); fault != nil || err != nil {
			t.Fatalf("a neighbour: %v, %v", fault, err)
		}
		return i
	}
	bystander := neighbour()
	for n := range 12 {
		outcome := spade.SandboxError
		p, fault, err := s.Load(t.Context(), attack, LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if fault != nil {
			t.Logf("refused after %d times: %v", n, fault)
			outcome = fault.Outcome
		} else {
			var i *Instance
			if i, fault, err = p.New(t.Context(), 0); err == nil && fault == nil {
				_, fault, err = i.Step(t.Context(), "x")
			}
			p.Close()
			if fault == nil || err != nil {
				t.Fatalf("it came back: %v, %v", fault, err)
			}
			outcome = fault.Outcome
		}
		if outcome != spade.EnvExit && outcome != spade.SandboxError {
			t.Errorf("the attack: %v", fault)
		}
		_, fault, err = bystander.Step(t.Context(), "x")
		if err != nil || fault != nil && fault.Outcome != spade.SandboxError {
			t.Errorf("a neighbour: %v, %v", fault, err)
		}
		if fault != nil {
			bystander = neighbour()
		}
	}
}
