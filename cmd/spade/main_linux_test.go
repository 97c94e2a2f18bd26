package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"spade/policy/openai/openaitest"
	"spade/sandbox"
)

// TestMain makes the test binary the program itself wherever a script or a test starts "spade", and the first
// process of a jail wherever a sandbox starts one.
func TestMain(m *testing.M) {
	sandbox.Init()
	testscript.Main(tests{m}, map[string]func(){"spade": main})
}

// tests are the tests of this package and one more after all of them: that they left no process behind.
type tests struct{ m *testing.M }

func (t tests) Run() int {
	// Whatever a killed program leaves behind becomes a child of this process.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		fmt.Fprintln(os.Stderr, "adopting orphans:", err)
		return 1
	}
	code := t.m.Run()
	if left := leftovers(); len(left) > 0 {
		fmt.Fprintf(os.Stderr, "FAIL: the tests left processes behind: %s\n", strings.Join(left, ", "))
		return 1
	}
	return code
}

// leftovers returns the children of this process that live on. The kernel kills a jail right after the program
// that made it, but not in the same moment.
func leftovers() []string {
	var left []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if left = children(); len(left) == 0 {
			break
		}
	}
	return left
}

// children returns this process's children, in words, without those that have ended.
func children() []string {
	var found []string
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range stats {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		name, rest, _ := strings.Cut(string(data), ") ") // the name may hold anything but is in parentheses
		fields := strings.Fields(rest)
		if len(fields) > 1 && fields[0] != "Z" && fields[1] == strconv.Itoa(os.Getpid()) {
			found = append(found, name+")")
		}
	}
	return found
}

func TestScripts(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			program, err := exec.LookPath("spade")
			env.Setenv("HOME", os.Getenv("HOME")) // Python may live there
			env.Setenv("BIN", filepath.Dir(program))
			env.Setenv("EXAMPLES", filepath.Join(root, "examples"))
			server := httptest.NewServer(modelServer(filepath.Join(root, "examples")))
			env.Defer(server.Close)
			env.Setenv("SERVER", server.URL)
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "same": same, "objects": objects, "serving": serving, "answers": answers},
	})
}

// modelServer is a server of chat completions whose model designs an example and goes up.
func modelServer(examples string) http.Handler {
	source, err := os.ReadFile(filepath.Join(examples, "rotating_maze.py"))
	if err != nil {
		panic(err)
	}
	return &openaitest.Server{Model: "maze-model", Reply: func(r openaitest.Request) string {
		if strings.HasPrefix(r.Messages[0].Content, "Write one complete Python environment") {
			return "```python\n" + string(source) + "```\n<hint>Compare what you see before and after each step.</hint>"
		}
		return `\boxed{up}`
	}}
}

// exits N COMMAND… runs a command that must end with status N.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits N COMMAND…")
	}
	err := ts.Exec(args[1], args[2:]...)
	status := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		status = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	ts.Logf("[status %d]\n%s%s", status, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("status %d, want %s", status, args[0])
	}
}

// same A B fails unless two runs hold the same files with the same bytes and the same numbers in their index.
func same(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: same RUN RUN")
	}
	if err := sameRuns(ts.MkAbs(args[0]), ts.MkAbs(args[1])); err != nil {
		ts.Fatalf("%s and %s differ: %v", args[0], args[1], err)
	}
}

// objects FILE N KEY… fails unless FILE (or stdout) holds N lines, each a JSON object, the last with exactly
// these keys; a key that ends in ? may be left out.
func objects(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: objects FILE N KEY…")
	}
	lines := strings.SplitAfter(ts.ReadFile(args[0]), "\n")
	lines = lines[:len(lines)-1]
	if strconv.Itoa(len(lines)) != args[1] {
		ts.Fatalf("%d lines, want %s", len(lines), args[1])
	}
	var last map[string]json.RawMessage
	for i, line := range lines {
		last = nil
		if err := json.Unmarshal([]byte(line), &last); err != nil {
			ts.Fatalf("line %d: %v", i+1, err)
		}
	}
	for _, key := range args[2:] {
		name, optional := strings.CutSuffix(key, "?")
		if _, ok := last[name]; !ok && !optional {
			ts.Fatalf("there is no key %s", name)
		}
		delete(last, name)
	}
	if len(last) > 0 {
		ts.Fatalf("there are other keys: %v", slices.Sorted(maps.Keys(last)))
	}
}

// sameRuns compares two runs: their files byte by byte, and what spade show says of their index. The index
// itself is not compared as a file: SQLite may lay out equal contents in different ways.
func sameRuns(a, b string) error {
	first, err := filesOf(a)
	if err != nil {
		return err
	}
	second, err := filesOf(b)
	if err != nil {
		return err
	}
	for name, data := range first {
		other, ok := second[name]
		if !ok || !bytes.Equal(data, other) {
			return fmt.Errorf("%s differs or is only in the first", name)
		}
		delete(second, name)
	}
	for name := range second {
		return fmt.Errorf("%s is only in the second", name)
	}
	if len(first) == 0 {
		return errors.New("both are empty")
	}
	return sameIndex(a, b)
}

// filesOf reads the files of a run: environments, episodes, checkpoints, events.
func filesOf(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == "lock" || name == "config.yaml" || strings.HasPrefix(name, "spade.db") {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	})
	return files, err
}

func sameIndex(a, b string) error {
	var shows [2]map[string]json.RawMessage
	for i, dir := range []string{a, b} {
		out, err := exec.Command("spade", "show", dir, "--json").Output()
		if err != nil {
			return fmt.Errorf("show %s: %w", dir, err)
		}
		if err := json.Unmarshal(out, &shows[i]); err != nil {
			return err
		}
	}
	for _, key := range []string{"cycles", "summary", "teachable", "refused", "skills"} {
		if len(shows[0][key]) == 0 || !bytes.Equal(shows[0][key], shows[1][key]) {
			return fmt.Errorf("show says of %s:\n%s\nand\n%s", key, shows[0][key], shows[1][key])
		}
	}
	return nil
}
