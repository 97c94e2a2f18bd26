package sandbox

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"spade"
	"spade/sandbox/python"
)

func TestSelfTest(t *testing.T) {
	for name, config := range tiers {
		t.Run(name, func(t *testing.T) {
			s := open(t, config)
			if got := string(s.Status().Tier); got != name {
				t.Errorf("the tier is %s", got)
			}
			probes, err := s.SelfTest(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if len(probes) != len(selfTests)+3 {
				t.Errorf("%d probes", len(probes))
			}
			for _, probe := range probes {
				if !probe.OK {
					t.Errorf("%s: %s", probe.Name, probe.Detail)
				}
			}
		})
	}
}

// TestEscapes are further ways out, each of which must be refused with an error.
func TestEscapes(t *testing.T) {
	t.Setenv("SPADE_TEST_SECRET", "of the host")
	for tier, config := range tiers {
		t.Run(tier, func(t *testing.T) { escapeAll(t, open(t, config)) })
	}
}

func escapeAll(t *testing.T, s *Sandbox) {
	for name, body := range map[string]string{
		"memory of others":    "raise OSError if libc.process_vm_readv(1, None, 0, None, 0, 0) < 0 else SystemError",
		"old root":            "os.chroot('/')",
		"leaving the folder":  "open('/../../etc/passwd')",
		"subprocess":          "import subprocess; subprocess.run(['/bin/true'])",
		"vfork":               "raise OSError if libc.syscall(58) < 0 else SystemError",
		"clone":               "raise OSError if libc.syscall(56, 17, 0, 0, 0, 0) < 0 else SystemError",
		"unix socket":         "import socket; socket.socketpair()",
		"anonymous file":      "os.memfd_create('x')",
		"device":              "os.mknod('/tmp/null', 0o20666, os.makedev(1, 3))",
		"symbolic link":       "os.symlink('/', 'link')",
		"changing the clock":  "time.clock_settime(time.CLOCK_REALTIME, 0)",
		"raising limits":      "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 1))",
		"becoming root":       "os.setuid(0)",
		"nice":                "os.nice(-5)",
		"other mount space":   "raise OSError if libc.setns(3, 0) < 0 else SystemError",
		"bpf":                 "raise OSError if libc.syscall(321, 0, 0, 0) < 0 else SystemError",
		"keys":                "raise OSError if libc.syscall(250, 0, 0, 0) < 0 else SystemError",
		"alarm":               "import signal; signal.setitimer(signal.ITIMER_REAL, 1)",
		"signalling a thread": "import signal; signal.raise_signal(9)",
		"terminal":            "import fcntl; fcntl.ioctl(0, 0x5412, b'x')",
		"the parent":          "os.kill(os.getppid() or 1, 9)",
	} {
		t.Run(name, func(t *testing.T) {
			source := misbehaving("import ctypes\nlibc = ctypes.CDLL(None)\ntry:\n    " + body + "\nexcept (OSError, RuntimeError, ValueError) as e:\n    return 'refused', 0.0, False, False, {}")
			i := instance(t, load(t, s, source))
			step, fault, err := i.Step(t.Context(), "x")
			if err != nil || fault != nil || step.Observation != "refused" {
				t.Errorf("got %+v, %v, %v", step, fault, err)
			}
		})
	}
}

// TestRoot: the jail's root holds what Python needs and nothing else.
func TestRoot(t *testing.T) {
	s := open(t, Config{})
	i := instance(t, load(t, s, misbehaving(`
hidden = [p for p in ("/proc", "/proc/self", "/sys", "/home", "/var", "/bin/sh", "/usr/bin/env", "/etc/passwd",
                      "/.old", "/run", "/dev/zero", "/dev/shm", os.path.dirname(os.__file__) + "/site-packages/pip",
                      "/usr/lib/python3/dist-packages") if os.path.exists(p)]
return f"{hidden} {os.listdir('/tmp')} {os.getuid()} {os.getpid()} {os.getppid()} {os.uname().nodename}", 0.0, False, False, {}`)))
	step, fault, err := i.Step(t.Context(), "x")
	if fault != nil || err != nil {
		t.Fatal(fault, err)
	}
	if step.Observation != "[] [] 1000 1 0 spade" {
		t.Errorf("the jail looks like %s", step.Observation)
	}
}

// TestPrivatePython: files that only their owner can read, in a folder that only he can pass, are readable in the
// jail if they belong to Python.
func TestPrivatePython(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "packages")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "private.py"), []byte("value = 7"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, Config{})
	s.packages = func(context.Context) string { return folder }
	source := "import private # numpy\n" + misbehaving("return str(private.value), 0.0, False, False, {}")
	step, fault, err := instance(t, load(t, s, source)).Step(t.Context(), "x")
	if fault != nil || err != nil || step.Observation != "7" {
		t.Errorf("got %+v, %v, %v", step, fault, err)
	}
}

// TestMasked: what is hidden inside a folder that Python needs cannot be read in any tier.
func TestMasked(t *testing.T) {
	for tier, config := range tiers {
		t.Run(tier, func(t *testing.T) {
			s := open(t, config)
			library := s.interpreter.Folders[0]
			s.interpreter.Hidden = []string{library + "/wsgiref"}
			s.packages = func(context.Context) string { return "" }
			i := instance(t, load(t, s, "# numpy, so that a new fork server is started\n"+misbehaving(`
try: return open(action + "/__init__.py").read(3), 0.0, False, False, {}
except OSError: return "refused", 0.0, False, False, {}`)))
			for folder, want := range map[string]string{library + "/wsgiref": "refused", library + "/json": "r\"\""} {
				step, fault, err := i.Step(t.Context(), folder)
				if fault != nil || err != nil || step.Observation != want {
					t.Errorf("%s: %+v, %v, %v", folder, step, fault, err)
				}
			}
		})
	}
}

// TestSiblings: processes of equal source see nothing of each other, nor of the one before.
func TestSiblings(t *testing.T) {
	s := open(t, Config{})
	source := misbehaving("with open('/tmp/' + action, 'w') as f: f.write('x')\nreturn str(os.listdir('/tmp')), 0.0, False, False, {}")
	for _, name := range []string{"one", "two", "three"} {
		step, fault, err := instance(t, load(t, s, source)).Step(t.Context(), name)
		if fault != nil || err != nil || step.Observation != fmt.Sprintf("['%s']", name) {
			t.Errorf("got %+v, %v, %v", step, fault, err)
		}
	}
}

// TestOrdinaryUser runs the tests of isolation once more as an ordinary user.
func TestOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("this is an ordinary user already")
	}
	if testing.Short() {
		t.Skip("runs other tests once more")
	}
	python, err := python.Find(t.Context(), publicPython())
	if err != nil {
		t.Fatal(err)
	}
	folder := publicFolder(t)
	binary, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	copied, work := filepath.Join(folder, "sandbox.test"), filepath.Join(folder, "sandbox")
	err = errors.Join(os.WriteFile(copied, binary, 0o755), os.CopyFS(filepath.Join(work, "testdata"), os.DirFS("testdata")),
		os.CopyFS(filepath.Join(work, casesFolder), os.DirFS(casesFolder)))
	if err != nil {
		t.Fatal(err)
	}
	tmp := filepath.Join(folder, "tmp")
	if err := errors.Join(os.Mkdir(tmp, 0o777), os.Chmod(tmp, 0o777)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(copied, "-test.v", "-test.short", "-test.run", "^Test(SelfTest|Escapes|Root|Siblings|Conformance|NothingIsLeft|Attacks)$")
	cmd.Dir = work
	cmd.Env = []string{"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=" + tmp, "TMPDIR=" + tmp, packagesVariable + "=" + filepath.Dir(publicNumpy(t, python))}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 12345, Gid: 12345}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("as user 12345: %v\n%s", err, out)
	}
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, " attacks in the ") {
			t.Log(strings.TrimSpace(line))
		}
	}
}

// publicFolder returns a folder for the test that every user can reach.
func publicFolder(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for path := folder; path != os.TempDir() && path != "/"; path = filepath.Dir(path) {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// TestNothingIsLeft: closing a sandbox ends every process in its jails, and so does the end of our own process.
func TestNothingIsLeft(t *testing.T) {
	for name, config := range tiers {
		t.Run(name, func(t *testing.T) {
			s := open(t, config)
			load(t, s, trivial)
			p := load(t, s, misbehaving("while True: pass"))
			go instance(t, p).Step(context.Background(), "x")
			if len(descendants(t, os.Getpid())) < 3 {
				t.Fatal("no processes to end")
			}
			scratch := s.servers[flavour{}].server.spec.scratch
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			deadline := time.Now().Add(time.Minute)
			for len(descendants(t, os.Getpid())) > 0 && time.Now().Before(deadline) {
				time.Sleep(10 * time.Millisecond)
			}
			if left := descendants(t, os.Getpid()); len(left) > 0 {
				t.Errorf("processes %v are left", left)
			}
			if _, err := os.Stat(scratch); scratch != "" && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("the folder %s is left", scratch)
			}
			if _, _, err := s.Load(t.Context(), trivial, LoadOptions{}); err == nil {
				t.Error("a closed sandbox loads")
			}
		})
	}
}

// descendants returns the processes below pid.
func descendants(t *testing.T, pid int) []int {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for _, task := range tasks {
		data, _ := os.ReadFile(task)
		for field := range bytes.FieldsSeq(data) {
			var child int
			fmt.Sscan(string(field), &child)
			all = append(append(all, child), descendants(t, child)...)
		}
	}
	return all
}

// TestRefusal: without namespaces Open refuses, and says what to do.
func TestRefusal(t *testing.T) {
	_, err := Open(t.Context(), Config{noNamespaces: true})
	var e *spade.Error
	if !errors.As(err, &e) || e.Boundary != spade.ByMachine || e.Next == "" || !strings.Contains(e.Error(), layerUser) {
		t.Errorf("got %v", err)
	}
	_, err = Open(t.Context(), Config{Python: "/no/such/python"})
	if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" {
		t.Errorf("got %v", err)
	}
}

// TestDeadServer kills the fork server: everything in its jail is lost, and the next load works.
func TestDeadServer(t *testing.T) {
	s := open(t, Config{})
	i := instance(t, load(t, s, trivial))
	server := s.servers[flavour{}].server
	server.cmd.Process.Kill()
	<-server.dead
	_, fault, err := i.Step(t.Context(), "x")
	if err != nil || fault == nil || fault.Outcome != spade.SandboxError {
		t.Errorf("got %v, %v", fault, err)
	}
	instance(t, load(t, s, trivial))
}

// TestKilled: when our own process is killed, everything in its jails ends with it.
func TestKilled(t *testing.T) {
	for name := range tiers {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command("/proc/self/exe")
			cmd.Env = append(os.Environ(), helperVariable+"="+name, "TMPDIR="+publicFolder(t))
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			below := map[int]string{}
			for _, pid := range descendants(t, cmd.Process.Pid) {
				if started := startOf(pid); started != "" {
					below[pid] = started
				}
			}
			cmd.Process.Kill()
			cmd.Wait()
			if len(below) < 2 {
				t.Fatalf("the helper said %q and had processes %v", line, below)
			}
			deadline := time.Now().Add(time.Minute)
			for pid, started := range below {
				for startOf(pid) == started && time.Now().Before(deadline) {
					time.Sleep(10 * time.Millisecond)
				}
				if startOf(pid) == started {
					t.Errorf("process %d is left", pid)
				}
			}
		})
	}
}

// startOf returns when a process started, which tells it from another one with the same number, and "" if it has ended.
func startOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, rest, _ := bytes.Cut(stat, []byte(") "))
	fields := bytes.Fields(rest)
	if len(fields) < 20 || string(fields[0]) == "Z" {
		return ""
	}
	return string(fields[19])
}
