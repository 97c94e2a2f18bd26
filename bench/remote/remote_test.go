package remote

import (
	"fmt"
	"os"
	"testing"
	"time"

	"spade/bench"
	"spade/sandbox"
	"spade/sandbox/sandboxtest"
)

// jail is the sandbox of the tests in this package.
var jail *sandbox.Sandbox

// answer is the first argument of a process of these tests that is the model server.
const answer = "answer"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == answer {
		delay, err := time.ParseDuration(os.Args[len(os.Args)-1])
		if err == nil {
			err = Serve(os.Stdin, os.Stdout, delay)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	sandboxtest.Main(m, &jail)
}

// TestRun measures briefly: both sides are measured, everything that is asked of the figures is among them, and the shares
// of the machine are shares. What they come to on a busy machine says nothing.
func TestRun(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	b := Bench{Episodes: 40, Delay: 5 * time.Millisecond, Pairs: 2, Settle: 20 * time.Millisecond, Span: 200 * time.Millisecond,
		Server: []string{program, answer}, Progress: func(string) {}}
	result, err := b.Run(t.Context(), jail)
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]bench.Figure{}
	for _, f := range result.Figures {
		figures[f.Name] = f
	}
	for _, name := range []string{"remote_turns_per_second", "remote_python_turns", "remote_against_python", "remote_memory_per_episode",
		"remote_own_us_per_turn", "remote_jails_us_per_turn", "remote_server_us_per_turn", "remote_python_us_per_turn", "remote_own_share"} {
		if !(figures[name].Value > 0) {
			t.Errorf("%s is %v", name, figures[name].Value)
		}
	}
	for _, f := range result.Figures {
		if f.Unit == ofMachine && !(f.Value >= 0 && f.Value <= 1.1) { // the kernel counts the whole in coarse steps
			t.Errorf("%s is %v", f.Name, f.Value)
		}
	}
	if len(result.Profile) == 0 {
		t.Error("there is no profile")
	}
}

// TestWork tells kinds of work apart by stacks as they are found in profiles.
func TestWork(t *testing.T) {
	for want, stack := range map[string][]string{
		"server_sockets": {"internal/runtime/syscall/linux.Syscall6", "syscall.write", "internal/poll.(*FD).Write", "net.(*netFD).Write", "net/http.persistConnWriter.Write", "net/http.(*persistConn).writeLoop"},
		"jail_sockets":   {"internal/runtime/syscall/linux.Syscall6", "syscall.read", "internal/poll.(*FD).Read", "os.(*File).Read", "spade/sandbox.(*watch).Read", "spade/play.(*Player).turns"},
		"json":           {"runtime.memmove", "encoding/json.(*decodeState).object", "spade/policy/openai.readBody", "spade/play.(*Player).turns"},
		"http":           {"runtime.selectgo", "net/http.(*persistConn).roundTrip", "spade/policy/openai.(*Policy).exchange"},
		"jail_protocol":  {"spade/sandbox.(*strictDecoder).text", "spade/play.(*Player).turns"},
		"loop":           {"runtime.mapaccess1", "spade/play.(*Player).turns"},
		"memory":         {"runtime.memclrNoHeapPointers", "runtime.mallocgc", "encoding/json.Marshal", "spade/play.(*Player).turns"},
		"scheduler":      {"runtime.futex", "runtime.findRunnable", "runtime.schedule", "runtime.mcall"},
		"rest":           {"os/signal.loop"},
	} {
		if got := work(stack); got != want {
			t.Errorf("%v is %s, want %s", stack, got, want)
		}
	}
}
