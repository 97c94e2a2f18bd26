package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"spade"
	"spade/sandbox/python"
)

// An attack is one attempt to get out of the jail, to outlive it, to exhaust the host or to forge a result.
type attack struct {
	Name string
	// Op says where Code misbehaves: "probe" runs it and reads the variable res; "load", "reset" and "step" define a
	// class Env whose method misbehaves.
	Op   string
	Code string
	// Peer is run before it in another process, which lives on meanwhile.
	Peer string
	// Expect names the outcome that is safe, see judge; Safe describes it.
	Expect, Safe string
	// Degraded says what differs in a jail without namespaces, if anything does: then only that nobody else is
	// harmed is expected there.
	Degraded string
}

// attackPreamble stands before every attack.
const attackPreamble = `
import os, sys, ctypes, time, errno, json
L = ctypes.CDLL(None, use_errno=True)
PORT = %d
SECRET = %q
TMP = os.environ["TMPDIR"]
def sc(n, *a):
    r = L.syscall(ctypes.c_long(n), *[x if isinstance(x, (bytes, ctypes.Array)) else ctypes.c_long(x) for x in a])
    return r if r >= 0 else -ctypes.get_errno()
def hole(c, msg=''):
    return ('HOLE ' if c else 'SAFE ') + str(msg)
BODY = %s
def run(body=BODY):
    scope = dict(globals())
    exec(compile(body, "attack", "exec"), scope)
    return scope
`

// attackForms make an environment of an attack: one that misbehaves where the attack says, and one whose reset does
// all of it and shows what came of it as its observation.
var attackForms = map[string]string{
	"probe": `
class ProbeEnv:
    def reset(self, seed=None): return "ready", {}
    def step(self, action): return str(run()["res"]), 0.0, False, False, {}
`,
	"class": `
for _name, _value in ("reset", ("ready", {})), ("step", ("fine", 0.0, False, False, {})):
    if not hasattr(Env, _name): setattr(Env, _name, lambda self, *args, _value=_value, **named: _value)
`,
	"played": `
class PlayedEnv:
    def reset(self, seed=None):
        scope = run()
        if "res" in scope: return str(scope["res"]), {}
        getattr(scope["Env"], "solution", None)
        self.env = scope["Env"]()
        answer = self.env.reset(seed=1) if OP == "reset" else self.env.step("x")
        return answer[0], answer[-1]
    def step(self, action): return self.env.step(action)
`,
}

const attackVictim = `
import json, math, random
class VictimEnv:
    def reset(self, seed=None):
        self.n = 0
        return "ready", {}
    def step(self, action):
        self.n += 1
        random.seed(1)
        return f"{self.n} {json.loads('[1]')} {math.sqrt(4)} {random.random():.6f}", 0.5, False, False, {}
`

func readAttacks(t *testing.T) []attack {
	t.Helper()
	var all []attack
	for _, name := range []string{"attacks.json", "attacks_own.json", "attacks_process.json"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		var some []attack
		if err := json.Unmarshal(data, &some); err != nil {
			t.Fatal(err)
		}
		all = append(all, some...)
	}
	return all
}

// TestAttacks makes every attack twice in each jail: as it is, and as an environment whose reset makes it.
func TestAttacks(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the attacks use the system call numbers of x86_64")
	}
	attacks := readAttacks(t)
	host := prepareHost(t)
	for tier, config := range tiers {
		t.Run(tier, func(t *testing.T) {
			host, begun := host, time.Now()
			slow := host.field(t, config, patient)
			host.packages = slow.packages
			fast := host.field(t, config, Limits{Load: time.Second, Reset: 500 * time.Millisecond, Step: 500 * time.Millisecond,
				Memory: 1 << 30}) // what hoards while it hangs meets its deadline first
			t.Run("attack", func(t *testing.T) {
				for _, a := range attacks {
					f := slow
					if a.Expect == "timeout" {
						f = fast
					}
					if tier == "degraded" && a.Degraded != "" || weaker(tier, a.Name) {
						a.Expect = "weaker"
					}
					t.Run(a.Name, func(t *testing.T) {
						if a.Name == farCode && differs(tier, endsJail) {
							t.Skip("see TestFarCode")
						}
						t.Parallel()
						t.Run("alone", func(t *testing.T) { f.make(t, a, false) })
						t.Run("played", func(t *testing.T) { f.make(t, a, true) })
					})
				}
			})
			slow.survey(t)
			fast.survey(t)
			t.Logf("%d attacks in the %s tier as user %d: %v", len(attacks), tier, os.Getuid(), time.Since(begun).Round(time.Second))
		})
	}
}

// An attackHost is what attacks may look for.
type attackHost struct {
	port   int
	secret string
	// packages is a folder with numpy if there is one already.
	packages string
}

func prepareHost(t *testing.T) attackHost {
	t.Helper()
	t.Setenv("SBX_SECRET", "of the host")
	h := attackHost{secret: filepath.Join(t.TempDir(), "secret")}
	for path, mode := range map[string]os.FileMode{h.secret: 0o600, "/root/sbx-secret.txt": 0o600, "/tmp/sbx-secret.txt": 0o644} {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if err != nil {
			continue // it is there, or belongs to a user who is not us and made it
		}
		f.WriteString("HOLE: a secret of the host")
		f.Close()
		t.Cleanup(func() { os.Remove(path) })
	}
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": "@sbx-probe"} {
		l, err := net.Listen(network, address)
		if err != nil {
			continue // another test has taken the name
		}
		t.Cleanup(func() { l.Close() })
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			h.port = a.Port
		}
	}
	return h
}

// packagesVariable names a folder with numpy that every user can read, in a folder for each version of Python like those
// of the cache.
const packagesVariable = "SPADE_TEST_PACKAGES"

// publicNumpy returns a folder that every user can read with numpy for this Python, "" if it has not been downloaded.
func publicNumpy(t *testing.T, p *python.Interpreter) string {
	t.Helper()
	version := fmt.Sprintf("python-%d.%d-", p.Major, p.Minor)
	if public := filepath.Join(os.Getenv(packagesVariable), version); exists(public) {
		return public
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	folder := filepath.Join(publicFolder(t), version)
	found, _ := filepath.Glob(filepath.Join(cache, "spade", version+"*/numpy*"))
	for _, path := range found {
		if !strings.HasSuffix(path, "numpy") && !strings.HasSuffix(path, ".libs") {
			continue
		}
		if err := os.CopyFS(filepath.Join(folder, filepath.Base(path)), os.DirFS(path)); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return folder
}

// An attackField is a sandbox with a bystander in each of its jails.
type attackField struct {
	host     attackHost
	packages string
	sandbox  *Sandbox
	victims  []*attackBystander
}

// An attackBystander is an episode that has nothing to do with any attack.
type attackBystander struct {
	mu       sync.Mutex
	instance *Instance
	server   *server
	steps    int
	// files is how many there were on the host for its jail at the beginning.
	files int
}

func (h attackHost) field(t *testing.T, config Config, limits Limits) *attackField {
	t.Helper()
	config.Limits = limits
	s := open(t, config)
	f := &attackField{host: h, sandbox: s, packages: h.packages}
	if f.packages == "" {
		f.packages = publicNumpy(t, s.interpreter)
	}
	s.packages = func(context.Context) string { return f.packages }
	for _, source := range []string{attackVictim, "# numpy\n" + attackVictim} {
		v := &attackBystander{instance: instance(t, load(t, s, source))}
		v.server = s.servers[flavour{heavy: strings.HasPrefix(source, "# numpy")}].server
		if _, fault, err := v.instance.Reset(t.Context(), 1); fault != nil || err != nil {
			t.Fatal(fault, err)
		}
		v.files = len(filesIn(t, v.server.spec.scratch))
		f.victims = append(f.victims, v)
	}
	return f
}

// make makes the attack and looks what it did.
func (f *attackField) make(t *testing.T, a attack, played bool) {
	if f.packages == "" && usesPackages.MatchString(a.Code) {
		t.Skip("numpy has not been downloaded")
	}
	if a.Peer != "" {
		peer := load(t, f.sandbox, f.source(attack{Op: "probe", Code: a.Peer}, false))
		defer peer.Close()
		if step, fault, err := instance(t, peer).Step(t.Context(), "x"); fault != nil || err != nil {
			t.Fatalf("the peer: %v, %v, %v", step, fault, err)
		}
	}
	process, fault, err := f.sandbox.Load(t.Context(), f.source(a, played), LoadOptions{})
	var text string
	again := func() *Fault { return nil }
	if process != nil {
		defer f.gone(t, process)
		text, fault, again, err = a.perform(t, process, played)
	}
	if err != nil {
		t.Fatal(err)
	}
	if problem := a.judge(played, text, fault, again); problem != "" {
		t.Errorf("%s: answered %.300q, fault %v; safe is: %s", problem, text, fault, a.Safe)
	}
	f.unharmed(t)
}

func (f *attackField) source(a attack, played bool) string {
	head := fmt.Sprintf(attackPreamble, f.host.port, f.host.secret, mustJSON(a.Code))
	switch {
	case played:
		return head + fmt.Sprintf("OP = %q\n", a.Op) + attackForms["played"]
	case a.Op == "probe":
		return head + attackForms["probe"]
	}
	return head + a.Code + attackForms["class"]
}

// perform plays until the attack has happened. again makes one more request.
func (a attack) perform(t *testing.T, p *Process, played bool) (text string, fault *Fault, again func() *Fault, err error) {
	i, fault, err := p.New(t.Context(), 0)
	if fault != nil || err != nil {
		return "", fault, func() *Fault { return fault }, err
	}
	again = func() *Fault {
		_, fault, _ := i.Step(t.Context(), "again")
		return fault
	}
	o, fault, err := i.Reset(t.Context(), 1)
	if played || a.Op == "reset" || fault != nil || err != nil {
		return o.Text, fault, again, err
	}
	step, fault, err := i.Step(t.Context(), "x")
	return step.Observation, fault, again, err
}

// judge returns what is wrong, "" if nothing is.
func (a attack) judge(played bool, text string, fault *Fault, again func() *Fault) string {
	is := func(outcomes ...spade.Outcome) bool {
		for _, o := range outcomes {
			if fault != nil && fault.Outcome == o {
				return true
			}
		}
		return false
	}
	violates := func(f *Fault) bool { return f != nil && f.Outcome == spade.ProtocolViolation }
	switch {
	case strings.Contains(text, "HOLE") && a.Expect != "weaker":
		return "a hole"
	case is(spade.SandboxError):
		return "our machinery failed"
	}
	ok := true
	switch a.Expect {
	case "res", "sibling-check":
		ok = fault == nil && strings.Contains(text, "SAFE")
	case "timeout":
		ok = is(spade.WallTimeout, spade.CPULimit)
	case "eof":
		ok = is(spade.EnvExit)
	case "error":
		ok = fault != nil
	case "badreward", "hugereward", "surrogate":
		ok = is(spade.InvalidReward, spade.InvalidObservation) || played && fault == nil // reset returns no reward
	case "forge":
		ok = fault != nil || violates(again())
	case "next-violation":
		ok = violates(fault) || violates(again())
	case "any", "weaker":
	default:
		return "no such expectation"
	}
	if !ok {
		return "not what was expected"
	}
	return ""
}

// gone ends the process and waits until nothing of it is left.
func (f *attackField) gone(t *testing.T, p *Process) {
	p.Close()
	select {
	case <-p.child.exited:
	case <-time.After(time.Minute):
		t.Errorf("process %d is left", p.child.pid)
	}
}

// unharmed looks whether everybody else goes on.
func (f *attackField) unharmed(t *testing.T) {
	t.Helper()
	for _, v := range f.victims {
		v.mu.Lock()
		v.steps++
		step, fault, err := v.instance.Step(t.Context(), "x")
		want := fmt.Sprintf("%d [1] 2.0 0.134364", v.steps)
		if fault != nil || err != nil || step.Observation != want || step.Reward != 0.5 {
			t.Errorf("a sibling was harmed: %+v, %v, %v; want %s", step, fault, err, want)
		}
		v.mu.Unlock()
		select {
		case <-v.server.dead:
			t.Errorf("the fork server is dead: %v", v.server.why)
		default:
		}
	}
}

// survey looks for what all attacks together have left.
func (f *attackField) survey(t *testing.T) {
	t.Helper()
	if f.sandbox.started != len(f.victims) {
		t.Errorf("%d fork servers were started, not %d", f.sandbox.started, len(f.victims))
	}
	for _, v := range f.victims {
		deadline := time.Now().Add(time.Minute)
		left := func() int { return v.server.living(t) }
		for left() > poolSize+1 && time.Now().Before(deadline) {
			time.Sleep(10 * time.Millisecond)
		}
		if n := left(); n > poolSize+1 {
			t.Errorf("%d processes are in a jail that keeps %d ready and plays one", n, poolSize)
		}
		if left := filesIn(t, v.server.spec.scratch); len(left) > v.files {
			t.Errorf("%d files were there, and now there are %s", v.files, left)
		}
	}
}

// living counts the processes in a jail. Those in gVisor are known to it alone.
func (s *server) living(t *testing.T) int {
	if s.spec.runsc == "" {
		return len(descendants(t, s.cmd.Process.Pid))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.children)
}

// filesIn returns the files below a folder of the host that a jail uses, if it does.
func filesIn(t *testing.T, folder string) []string {
	t.Helper()
	var files []string
	if folder == "" {
		return nil
	}
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		files = append(files, path)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return files
}
