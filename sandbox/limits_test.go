package sandbox

import (
	"context"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"spade"
)

func TestLimitsAreBounded(t *testing.T) {
	for _, good := range []Limits{{}, DefaultLimits(), patient, quick, {Memory: minMemory, Observation: maxObservation}} {
		if err := good.Validate(); err != nil {
			t.Errorf("%+v: %v", good, err)
		}
	}
	for key, bad := range map[string]Limits{
		"load": {Load: -1}, "reset": {Reset: 25 * time.Hour}, "step": {Step: time.Microsecond}, "episode": {Episode: 1},
		"environment": {Environment: -time.Second}, "cpu": {CPU: 1 << 62}, "memory": {Memory: minMemory - 1},
		"observation": {Observation: maxObservation + 1},
	} {
		if err := bad.Validate(); err == nil || !strings.Contains(err.Error(), "sandbox."+key+" is ") {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := (Limits{Memory: -1}).Validate(); err == nil {
		t.Error("a negative limit is taken")
	}
	for _, observation := range []int{1, 64 << 10, maxObservation} {
		l := Limits{Observation: observation}.withDefaults()
		if n := l.batch(); n < 1 || n > batchLimit || heldFactor*l.frame(n) > heldLimit {
			t.Errorf("with observations of %d bytes %d answers are held in %d bytes; there are %d", observation, n, heldFactor*l.frame(n), heldLimit)
		}
	}
}

// TestLimitsAreDocumented: every limit says its default where it is declared.
func TestLimitsAreDocumented(t *testing.T) {
	source, err := os.ReadFile("api.go")
	if err != nil {
		t.Skip("the source is elsewhere")
	}
	defaults := reflect.ValueOf(DefaultLimits())
	for i := range defaults.NumField() {
		name := defaults.Type().Field(i).Name
		comment := regexp.MustCompile(`(?s)\n((?:\t//[^\n]*\n)+)(?:\t\w+ +time.Duration [^\n]*\n)*\t` + name + ` `).FindSubmatch(source)
		if defaults.Field(i).IsZero() || comment == nil || !strings.Contains(string(comment[1]), "default") {
			t.Errorf("%s has no default or does not say it", name)
		}
	}
}

// checkEpisodeLimit: the steps of an episode have a limit together, and the next episode starts afresh.
func checkEpisodeLimit(t *testing.T, _ string, s *Sandbox) {
	p := load(t, s, misbehaving("time.sleep(0.3)"))
	i, other := instance(t, p), instance(t, p)
	for range 2 {
		if _, fault, err := i.Reset(t.Context(), 1); fault != nil || err != nil {
			t.Fatal(fault, err)
		}
		steps := 0
		var fault *Fault
		for fault == nil && steps < 100 {
			var err error
			if _, fault, err = i.Step(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			steps++
		}
		if fault == nil || fault.Outcome != spade.WallTimeout || steps > 4 ||
			fault.Message != "the time of 1s for all steps of an episode is used up" {
			t.Errorf("after %d steps: %v", steps, fault)
		}
		if !p.Alive() { // the step under way was the one too many
			return
		}
	}
	if _, fault, err := other.Step(t.Context(), "x"); fault != nil || err != nil {
		t.Errorf("another episode of the process: %v, %v", fault, err)
	}
}

// greedy computes for 0.4 s in every step.
var greedy = misbehaving("end = time.process_time() + 0.4\nwhile time.process_time() < end: pass")

// checkEnvironmentLimit: an environment that has used its processor time gets no further process, wherever it was used.
func checkEnvironmentLimit(t *testing.T, _ string, s *Sandbox) {
	program := s.Program(greedy, false)
	defer program.Close()
	spendAll(t, func() *Program { return program })
}

// checkAloneShares: who plays an environment again in a process of its own has no processor time of its own.
func checkAloneShares(t *testing.T, _ string, s *Sandbox) {
	program := s.Program(greedy, true)
	defer program.Close()
	spendAll(t, func() *Program {
		alone := program.Alone()
		t.Cleanup(func() { alone.Close() })
		return alone
	})
	if _, fault, err := program.Instance(t.Context(), 0); err != nil || fault == nil || fault.Outcome != spade.CPULimit {
		t.Errorf("the program itself has time left: %v, %v", fault, err)
	}
}

// spendAll plays instances, each of a program that next returns, until there is no processor time for another one.
func spendAll(t *testing.T, next func() *Program) {
	t.Helper()
	for n := range 100 {
		i, fault, err := next().Instance(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		if fault != nil {
			if fault.Outcome != spade.CPULimit || !strings.Contains(fault.Message, "all processes") || n < 2 {
				t.Errorf("instance %d: %v", n, fault)
			}
			return
		}
		if _, fault, err := i.Step(t.Context(), "x"); fault != nil || err != nil {
			t.Fatal(fault, err)
		}
		process := i.Process()
		i.Close()
		<-process.child.exited
	}
	t.Error("it goes on for ever")
}

// TestAnswersAreHeld has many processes send the longest answers that there can be, and keep back the last byte: what
// is held of them is bounded, and an honest long answer beside them only has to wait.
func TestAnswersAreHeld(t *testing.T) {
	limits := Limits{Load: time.Minute, Step: time.Second, Observation: maxObservation}
	s := open(t, Config{Limits: limits, MaxProcesses: 16})
	hostile := misbehaving("import struct\ndata = memoryview(struct.pack('>I', int(action)) + bytes(int(action) - 1))\n" +
		"while data: data = data[os.write(3, data):]\ntime.sleep(60)")
	before := heap()
	const liars = 6
	ended := make(chan *Fault, liars)
	for range liars {
		i := instance(t, load(t, s, hostile))
		go func() {
			_, fault, _ := i.Step(context.Background(), "32000000")
			ended <- fault
		}()
	}
	honest := instance(t, load(t, s, misbehaving("return 'x' * 1000000, 0.0, False, False, {}")))
	for s.held.TryAcquire(heldLimit / 2) { // until two are held, which is as many as can be
		s.held.Release(heldLimit / 2)
		time.Sleep(time.Millisecond)
	}
	if grown := heap() - before; grown > heldLimit {
		t.Errorf("%d MiB are held", grown>>20)
	}
	if step, fault, err := honest.Step(t.Context(), "x"); fault != nil || err != nil || len(step.Observation) != 1000000 {
		t.Errorf("the honest one: %d bytes, %v, %v", len(step.Observation), fault, err)
	}
	for range liars {
		if fault := <-ended; fault == nil || fault.Outcome != spade.WallTimeout {
			t.Errorf("one of those that lie: %v", fault)
		}
	}
	if !s.held.TryAcquire(heldLimit) {
		t.Error("something is still held")
	}
}

// heap returns the bytes that are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
