package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"spade"
)

// quick are limits that make a step that hangs show soon, patient those that nothing reaches that does not hang.
var (
	quick   = Limits{Load: 5 * time.Second, Reset: 5 * time.Second, Step: time.Second}
	patient = Limits{Load: time.Minute, Reset: time.Minute, Step: time.Minute}
)

// misbehaving returns a class whose step runs body.
func misbehaving(body string) string {
	var b strings.Builder
	b.WriteString("import os, sys, time\nclass BadEnv:\n    def reset(self, seed=None):\n        return 'go', {}\n    def step(self, action):\n")
	for line := range strings.Lines(body) {
		b.WriteString("        " + line)
	}
	b.WriteString("\n        return 'fine', 0.0, False, False, {}\n")
	return b.String()
}

// checkOutcomes provokes every outcome, and looks whether the process is alive afterwards.
func checkOutcomes(t *testing.T, tier string, s *Sandbox) {
	for _, test := range []struct {
		name, body string
		outcome    spade.Outcome
		message    string
		alive      bool
	}{
		{"exception", "1 / 0", spade.EnvError, "ZeroDivisionError: division by zero", true},
		{"unprintable exception", "class E(Exception):\n    def __str__(self): raise self\nraise E", spade.EnvError, "cannot be printed", true},
		{"address in a message", "raise ValueError(object())", spade.EnvError, "ValueError: <object object>", true},
		{"sys.exit", "sys.exit(0)", spade.EnvError, "SystemExit: 0", true},
		{"keyboard interrupt", "raise KeyboardInterrupt", spade.EnvError, "KeyboardInterrupt", true},
		{"recursion", "def f(): f()\nf()", spade.EnvError, "RecursionError", true},
		{"input", "input()", spade.EnvError, "EOFError", true},
		{"os._exit", "os._exit(3)", spade.EnvExit, "status 3", false},
		{"os._exit(0)", "os._exit(0)", spade.EnvExit, "status 0", false},
		{"segfault", "import ctypes\nctypes.string_at(0)", spade.EnvExit, "SIGSEGV", false},
		{"abort", "os.abort()", spade.EnvExit, "SIG", false},
		{"closed connection", "os.close(3)\ntime.sleep(60)", spade.EnvExit, "closed its connection", false},
		{"sleep", "time.sleep(60)", spade.WallTimeout, "no answer within 1s", false},
		{"spin", "while True: pass", spade.CPULimit, "busy", false},
		{"spin that catches all", "while True:\n    try:\n        while True: pass\n    except BaseException: pass", spade.CPULimit, "busy", false},
		{"regular expression", "import re\nre.match('(a+)+$', 'a' * 40 + 'b')", spade.CPULimit, "busy", false},
		{"big power", "10 ** 10 ** 8", spade.CPULimit, "busy", false},
		{"memory", "x = bytearray(1 << 30)", spade.MemoryLimit, "MemoryError", true},
		{"large observation", "return 'x' * 70000, 0.0, False, False, {}", spade.OutputLimit, "70000 bytes", true},
		{"large info", "return 'x', 0.0, False, False, {'a': 'x' * 70000}", spade.OutputLimit, "info has", true},
		{"nan", "return 'x', float('nan'), False, False, {}", spade.InvalidReward, "nan", true},
		{"infinity", "return 'x', -float('inf'), False, False, {}", spade.InvalidReward, "-inf", true},
		{"huge integer", "return 'x', 10 ** 400, False, False, {}", spade.InvalidReward, "inf", true},
		{"text reward", "return 'x', '1', False, False, {}", spade.InvalidReward, "of type str", true},
		{"bool reward", "return 'x', True, False, False, {}", spade.InvalidReward, "of type bool", true},
		{"no reward", "return 'x', None, False, False, {}", spade.InvalidReward, "None", true},
		{"nothing returned", "return", spade.InvalidObservation, "step returned None", true},
		{"four values", "return 'x', 0.0, False, {}", spade.InvalidObservation, "a tuple of 4", true},
		{"number as observation", "return 1, 0.0, False, False, {}", spade.InvalidObservation, "of type int", true},
		{"number as terminated", "return 'x', 0.0, 1, False, {}", spade.InvalidObservation, "terminated", true},
		{"list as info", "return 'x', 0.0, False, False, []", spade.InvalidObservation, "info", true},
		{"surrogate", "return '\\ud800', 0.0, False, False, {}", spade.InvalidObservation, "surrogate", true},
		{"surrogate in info", "return 'x', 0.0, False, False, {'a': '\\udfff'}", spade.InvalidObservation, "info", true},
		{"nan in info", "return 'x', 0.0, False, False, {'a': float('nan')}", spade.InvalidObservation, "info", true},
		{"equal keys in info", "return 'x', 0.0, False, False, {1: 1, '1': 2}", spade.InvalidObservation, "twice", true},
		{"cycle in info", "d = {}\nd['d'] = d\nreturn 'x', 0.0, False, False, d", spade.InvalidObservation, "info", true},
		{"deep info", "d = {}\nfor _ in range(100): d = {'d': d}\nreturn 'x', 0.0, False, False, d", spade.InvalidObservation, "deeper", true},
		{"forged frame", "os.write(3, b'\\0\\0\\0\\2{}')", spade.ProtocolViolation, "", false},
		{"endless frame", "os.write(3, b'\\xff\\xff\\xff\\xff' + b'x' * 4096)", spade.OutputLimit, "", false},
		{"half a frame", "os.write(3, b'\\0\\0\\1\\0{')\ntime.sleep(60)", spade.WallTimeout, "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // most of those that hang wait
			if test.outcome == spade.CPULimit && differs(tier, lateIsLate) {
				test.outcome, test.message = spade.WallTimeout, "no answer"
			}
			p := load(t, s, misbehaving(test.body))
			i := instance(t, p)
			if _, fault, err := i.Reset(t.Context(), 1); fault != nil || err != nil {
				t.Fatal(fault, err)
			}
			_, fault, err := i.Step(t.Context(), "x")
			if err != nil || fault == nil {
				t.Fatalf("got fault %v and error %v", fault, err)
			}
			if fault.Outcome != test.outcome || fault.Phase != "step" || !strings.Contains(fault.Message, test.message) {
				t.Errorf("got %v, want %s and %q", fault, test.outcome, test.message)
			}
			if p.Alive() != test.alive {
				t.Errorf("alive is %v", p.Alive())
			}
			if _, again, _ := i.Step(t.Context(), "x"); !test.alive && (again == nil || again.Outcome != test.outcome) {
				t.Errorf("a dead process answers %v", again)
			}
		})
	}
}

// checkUnaskedFrame has an environment answer ahead of time: the next request finds out.
func checkUnaskedFrame(t *testing.T, tier string, s *Sandbox) {
	if differs(tier, noThreads) {
		t.Skip("it takes a thread to speak between two requests")
	}
	// The thread waits until the harness, which has answered, waits for the next request.
	p := load(t, s, misbehaving(`import threading
waits = threading.get_ident()
def speak():
    while sys._current_frames()[waits].f_code.co_name != "receive": time.sleep(0.001)
    os.write(3, b"\0\0\0\2{}")
threading.Thread(target=speak).start()`))
	i := instance(t, p)
	_, fault, err := i.Step(t.Context(), "x")
	if fault == nil && err == nil { // we have read the answer before the thread spoke
		for !unread(p.raw) {
			time.Sleep(5 * time.Millisecond)
		}
		_, fault, err = i.Step(t.Context(), "x")
	}
	if err != nil || fault == nil || fault.Outcome != spade.ProtocolViolation {
		t.Errorf("got %v, %v", fault, err)
	}
}

func checkLoadFaults(t *testing.T, tier string, s *Sandbox) {
	for _, test := range []struct {
		name, source, phase string
		outcome             spade.Outcome
		message, trace      string
	}{
		{"syntax", "class X(:\n", "syntax", spade.EnvError, "SyntaxError", ""},
		{"null byte", "x = 1\x00", "syntax", spade.EnvError, "null bytes", ""},
		{"half a file", "class AEnv:\n    def reset(self", "syntax", spade.EnvError, "SyntaxError", ""},
		{"import", "import no_such_module", "load", spade.EnvError, "no_such_module", "line 1, in <module>: import no_such_module"},
		{"empty", "", "load", spade.EnvError, "no class has both reset and step", ""},
		{"abstract only", "import abc\nclass AEnv(abc.ABC):\n    @abc.abstractmethod\n    def x(self): ...\n    def reset(self): ...\n    def step(self, a): ...", "load", spade.EnvError, "no class", ""},
		{"loop", "while True: pass", "load", spade.CPULimit, "busy", ""},
		{"exit", "import os; os._exit(1)", "load", spade.EnvExit, "status 1", ""},
		{"memory", "x = 'x' * (1 << 31)", "load", spade.MemoryLimit, "", ""},
		{"turns that hang", "class AEnv:\n    @property\n    def max_turns(self):\n        while True: pass\n    def reset(self): ...\n    def step(self, a): ...", "construct", spade.CPULimit, "busy", ""},
		{"constructor", "class AEnv:\n    def __init__(self): self.x\n    def reset(self): ...\n    def step(self, a): ...", "construct", spade.EnvError, "AttributeError", "line 2, in __init__: def __init__(self): self.x"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.outcome == spade.CPULimit && differs(tier, lateIsLate) {
				test.outcome, test.message = spade.WallTimeout, "no answer"
			}
			p, fault, err := s.Load(t.Context(), test.source, LoadOptions{})
			if p != nil {
				_, fault, err = p.New(t.Context(), 0)
				p.Close()
			}
			if err != nil || fault == nil {
				t.Fatalf("got fault %v and error %v", fault, err)
			}
			if fault.Outcome != test.outcome || fault.Phase != test.phase || !strings.Contains(fault.Message, test.message) {
				t.Errorf("got %v", fault)
			}
			if !strings.Contains(fault.Trace, test.trace) {
				t.Errorf("trace %q", fault.Trace)
			}
		})
	}
}

// checkMemoryPieceByPiece has its own limits: pages are dear on some machines, and the deadline must not come first.
func checkMemoryPieceByPiece(t *testing.T, _ string, s *Sandbox) {
	i := instance(t, load(t, s, misbehaving("x = []\nwhile True: x.append(bytearray(16 << 20))")))
	_, fault, err := i.Step(t.Context(), "x")
	if err != nil || fault == nil || fault.Outcome != spade.MemoryLimit || !strings.Contains(fault.Message, "MemoryError") {
		t.Errorf("got %v, %v", fault, err)
	}
	if !i.Process().Alive() {
		t.Error("the process is gone")
	}
}

func checkCPULimit(t *testing.T, _ string, s *Sandbox) {
	i := instance(t, load(t, s, misbehaving("while True: pass")))
	_, fault, err := i.Step(t.Context(), "x")
	if err != nil || fault == nil || fault.Outcome != spade.CPULimit || fault.CPU < time.Second/2 || fault.WornOut {
		t.Errorf("got %v, %v", fault, err)
	}
}

// checkWornOut: a process that short requests have used up is told from one that hangs.
func checkWornOut(t *testing.T, tier string, s *Sandbox) {
	p := load(t, s, misbehaving("end = time.process_time() + 0.02\nwhile time.process_time() < end: pass"))
	i := instance(t, p)
	var fault *Fault
	spent := 0.0
	for n := 0; fault == nil; n++ {
		var err error
		spent = max(spent, p.Spent())
		if _, fault, err = i.Step(t.Context(), "x"); err != nil || n > 100 {
			t.Fatalf("step %d: %v", n, err)
		}
	}
	if fault.Outcome != spade.CPULimit || !fault.WornOut || fault.Message != "the processor time of 1s is used up" {
		t.Errorf("got %+v", fault)
	}
	if known := !differs(tier, lateIsLate); known && spent < 0.5 || !known && spent > 0 {
		t.Errorf("%v of it is spent", spent)
	}
}

func checkPrinted(t *testing.T, _ string, s *Sandbox) {
	p := load(t, s, "print('loading')\n"+misbehaving("print('step')\nprint('x' * 100000, file=sys.stderr)"))
	instance(t, p).Step(t.Context(), "x")
	if got := p.Printed(); !strings.HasPrefix(got, "loading\nstep\nxxx") || len(got) != printedLimit {
		t.Errorf("printed %d bytes: %.40q", len(got), got)
	}
}

// checkTerminal: nothing of an environment that people read can steer their terminal.
func checkTerminal(t *testing.T, _ string, s *Sandbox) {
	const steering = "\x1b]0;owned\a\u009b31m\u202e"
	source := fmt.Sprintf("print(%[1]q)\n", steering) + misbehaving(fmt.Sprintf("raise ValueError(%q)", steering)) +
		fmt.Sprintf("BadEnv.__name__ = %q + 'Env'\n", steering)
	p := load(t, s, source)
	_, fault, err := instance(t, p).Step(t.Context(), "x")
	if err != nil || fault == nil {
		t.Fatalf("got fault %v and error %v", fault, err)
	}
	for name, text := range map[string]string{
		"class": p.Class(), "output": p.Printed(), "message": fault.Message, "trace": fault.Trace,
	} {
		if text == "" || strings.ContainsAny(text, steering[:1]+"\a\u009b\u202e") {
			t.Errorf("the %s is %q", name, text)
		}
	}
}

// TestOutcomesAreDocumented: the table of the package's documentation has a line for every outcome.
func TestOutcomesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []spade.Outcome{spade.OK, spade.EnvError, spade.EnvExit, spade.WallTimeout, spade.CPULimit,
		spade.MemoryLimit, spade.OutputLimit, spade.InvalidReward, spade.InvalidObservation, spade.ProtocolViolation,
		spade.SandboxError} {
		if !strings.Contains(string(doc), "\n//\t"+string(o)+" ") {
			t.Errorf("%s is missing", o)
		}
	}
}

// checkThreads: as many threads as are allowed can start, whatever they do meanwhile.
func checkThreads(t *testing.T, tier string, s *Sandbox) {
	if differs(tier, noThreads) {
		t.Skip("there are none")
	}
	i := instance(t, load(t, s, misbehaving(`import threading
done = threading.Event()
threads = [threading.Thread(target=lambda: any(bytes(100000) is None for _ in iter(done.is_set, True))) for _ in range(6)]
for thread in threads:
    thread.start()
    time.sleep(0.01)
done.set()
for thread in threads: thread.join()`)))
	for range 3 {
		if step, fault, err := i.Step(t.Context(), "x"); fault != nil || err != nil || step.Observation != "fine" {
			t.Errorf("got %+v, %v, %v", step, fault, err)
		}
	}
}

// checkLargestAnswer: an answer that is as long as it may be in every part is taken.
func checkLargestAnswer(t *testing.T, _ string, s *Sandbox) {
	size := s.config.Limits.Observation
	i := instance(t, load(t, s, misbehaving(fmt.Sprintf(
		"print('\\0' * %[2]d, end='')\nreturn '\\0' * %[1]d, 0.0, False, False, {'': '\"' * (%[1]d // 2 - 10)}", size, printedLimit))))
	step, fault, err := i.Step(t.Context(), "x")
	if fault != nil || err != nil || len(step.Observation) != size || len(step.Info) < size-20 || len(i.Process().printed) != printedLimit {
		t.Errorf("observation of %d bytes, info of %d, %d printed; %v, %v", len(step.Observation), len(step.Info), len(i.Process().printed), fault, err)
	}
}

// checkRestless: a process that goes on computing after its answer is ended with the next request.
func checkRestless(t *testing.T, tier string, s *Sandbox) {
	if differs(tier, noThreads) || differs(tier, lateIsLate) {
		t.Skip("there are no threads, or no clock to see it")
	}
	p := load(t, s, misbehaving("import threading\ndef spin():\n    while True: pass\nif action == 'go': threading.Thread(target=spin).start()"))
	i := instance(t, p)
	for range 3 {
		if _, fault, err := i.Step(t.Context(), "x"); fault != nil || err != nil {
			t.Fatal(fault, err)
		}
	}
	if _, fault, err := i.Step(t.Context(), "go"); fault != nil || err != nil {
		t.Fatal(fault, err)
	}
	for cpuTime(p.child.pid)-p.watch.rested <= 2*restLimit {
		time.Sleep(10 * time.Millisecond)
	}
	if _, fault, err := i.Step(t.Context(), "x"); err != nil || fault == nil || fault.Outcome != spade.CPULimit || fault.Message != "it computed for more than 500ms between two requests" {
		t.Errorf("got %v, %v", fault, err)
	}
}

func checkCancel(t *testing.T, _ string, s *Sandbox) {
	i := instance(t, load(t, s, misbehaving("time.sleep(60)")))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := i.Step(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
	if i.Process().Alive() {
		t.Error("the process goes on")
	}
}

// checkPacked uses many instances of one process at the same time: each keeps its own state and generators.
func checkPacked(t *testing.T, _ string, s *Sandbox) {
	const source = `
from random import randint
import random
class DrawEnv:
    def reset(self, seed=None):
        random.seed(seed)
        self.n = 0
        return str(randint(0, 10**9)), {}
    def step(self, action):
        self.n += 1
        return f"{self.n} {random.random()}", 0.0, False, False, {}
`
	program := s.Program(source, true)
	defer program.Close()
	run := func(seed int64) string {
		i, fault, err := program.Instance(t.Context(), 0)
		if fault != nil || err != nil {
			return fmt.Sprint(fault, err)
		}
		defer i.Close()
		o, fault, err := i.Reset(t.Context(), seed)
		text := fmt.Sprint(o.Text, fault, err)
		for range 20 {
			step, fault, err := i.Step(t.Context(), "x")
			text += fmt.Sprint(step.Observation, fault, err)
		}
		return text
	}
	want := make([]string, 8)
	for seed := range want {
		want[seed] = run(int64(seed))
	}
	got := make(chan string, len(want))
	for seed := range want {
		go func() { got <- fmt.Sprint(seed, run(int64(seed)) == want[seed]) }()
	}
	for range want {
		if line := <-got; !strings.HasSuffix(line, "true") {
			t.Errorf("seed %s: an episode among others differs from the same alone", line)
		}
	}
	if len(program.made) != 1 {
		t.Errorf("%d processes were made", len(program.made))
	}
}

// checkPackedBoundary: an instance can speak for those that share its process, and for nobody else.
func checkPackedBoundary(t *testing.T, _ string, s *Sandbox) {
	source := misbehaving(`
if action == "change": BadEnv.step = lambda self, action: ("changed", 1.0, True, False, {})
if action == "leave": os._exit(0)`)
	for action, want := range map[string][3]string{
		"change": {"fine", "changed", "fine"},
		"leave":  {"env_exit", "env_exit", "fine"},
	} {
		program, other := s.Program(source, true), s.Program(source, true)
		defer program.Close()
		defer other.Close()
		var got [3]string // of two that share a process, and of one that does not
		var instances [3]*Instance
		for n, p := range []*Program{program, program, other} {
			var fault *Fault
			var err error
			if instances[n], fault, err = p.Instance(t.Context(), 0); fault != nil || err != nil {
				t.Fatal(fault, err)
			}
		}
		for n, first := range []string{action, "x", "x"} {
			step, fault, err := instances[n].Step(t.Context(), first)
			if err != nil {
				t.Fatal(err)
			}
			if got[n] = step.Observation; fault != nil {
				got[n] = string(fault.Outcome)
			}
		}
		if got != want {
			t.Errorf("after %s: %v", action, got)
		}
	}
}

func checkProgram(t *testing.T, _ string, s *Sandbox) {
	source := misbehaving("if action == 'die': os._exit(1)")
	for _, packed := range []bool{false, true} {
		t.Run(fmt.Sprint("packed ", packed), func(t *testing.T) {
			program := s.Program(source, packed)
			adopted := load(t, s, source)
			program.Adopt(adopted)
			first, fault, err := program.Instance(t.Context(), 0)
			if fault != nil || err != nil {
				t.Fatal(fault, err)
			}
			if first.Process() != adopted {
				t.Error("the adopted process is not used")
			}
			second, _, _ := program.Instance(t.Context(), 0)
			if (second.Process() == adopted) != packed {
				t.Error("the second instance is in the wrong process")
			}
			if _, fault, _ := first.Step(t.Context(), "die"); fault == nil {
				t.Error("no fault")
			}
			if second.Process().Alive() == packed {
				t.Error("the wrong process died")
			}
			third, fault, err := program.Instance(t.Context(), 0)
			if fault != nil || err != nil {
				t.Fatal(fault, err)
			}
			program.Close()
			if third.Process().Alive() || second.Process().Alive() {
				t.Error("a process outlives its program")
			}
		})
	}
}

// checkHashSeeds: the order of a set differs between the two kinds of process and only between them.
func checkHashSeeds(t *testing.T, _ string, s *Sandbox) {
	const source = `
class SetEnv:
    def reset(self, seed=None):
        return str({"a", "b", "c", "d", "e", "f", "g", "h"}), {}
    def step(self, action):
        return "", 0.0, True, False, {}
`
	order := func(alternate bool) string {
		p, fault, err := s.Load(t.Context(), source, LoadOptions{Alternate: alternate})
		if fault != nil || err != nil {
			t.Fatal(fault, err)
		}
		defer p.Close()
		o, _, _ := instance(t, p).Reset(t.Context(), 1)
		return o.Text
	}
	first, second, other := order(false), order(false), order(true)
	if first != second || first == other {
		t.Errorf("orders %s, %s and %s", first, second, other)
	}
}

func checkMaxTurns(t *testing.T, _ string, s *Sandbox) {
	for _, test := range []struct {
		constructor string
		bound, want int
	}{
		{"def __init__(self, max_turns=9): self.max_turns = max_turns", 0, 9},
		{"def __init__(self, max_turns=9): self.max_turns = max_turns", 25, 9},
		{"def __init__(self, max_turns=9): self.max_turns = max_turns", 5, 5},
		{"def __init__(self, max_turns): self.max_turns = max_turns", 0, 25},
		{"def __init__(self, *, max_turns, **kwargs): self.max_turns = max_turns", 7, 7},
		{"def __init__(self, a=1, max_turns=3): self.max_turns = max_turns", 0, 3},
		{"max_turns = 4", 2, 4},
		{"pass", 25, 0},
		{"max_turns = 'many'", 25, 0},
	} {
		p := load(t, s, "class AEnv:\n    "+test.constructor+"\n    def reset(self): ...\n    def step(self, a): ...\n")
		i, fault, err := p.New(t.Context(), test.bound)
		if fault != nil || err != nil {
			t.Fatal(test.constructor, fault, err)
		}
		if i.MaxTurns() != test.want {
			t.Errorf("%s with bound %d: %d, want %d", test.constructor, test.bound, i.MaxTurns(), test.want)
		}
		p.Close()
	}
}
