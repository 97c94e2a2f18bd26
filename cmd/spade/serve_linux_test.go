package main

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

var servedAt = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// serving ARG… starts spade serve ARG… on a free port and sets URL to its address. At the end of the script the server is
// interrupted, and must end as one that was asked to.
func serving(ts *testscript.TestScript, neg bool, args []string) {
	cmd := exec.Command("spade", append(append([]string{"serve"}, args...), "--address", "127.0.0.1:0")...)
	cmd.Dir = ts.MkAbs(".")
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil || neg {
		ts.Fatalf("serving: %v", err)
	}
	lines := bufio.NewScanner(said)
	url := ""
	for url == "" && lines.Scan() {
		ts.Logf("%s", lines.Text())
		url = servedAt.FindString(lines.Text())
	}
	ts.Defer(func() {
		cmd.Process.Signal(os.Interrupt)
		io.Copy(io.Discard, said)
		if err := cmd.Wait(); err != nil {
			ts.Logf("spade serve %s: %v", strings.Join(args, " "), err)
		}
		if status := cmd.ProcessState.ExitCode(); status != exitDone {
			ts.Fatalf("spade serve %s ended with status %d", strings.Join(args, " "), status)
		}
	})
	if url == "" {
		ts.Fatalf("spade serve %s said no address", strings.Join(args, " "))
	}
	ts.Setenv("URL", url)
}

// answers PATH BODY TEXT asks the server at URL, with POST where there is a body, and fails unless it answers 200 with a
// text that holds TEXT.
func answers(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: answers PATH BODY TEXT")
	}
	method := http.MethodPost
	if args[1] == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequest(method, ts.Getenv("URL")+args[0], strings.NewReader(args[1]))
	if err != nil {
		ts.Fatalf("%v", err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		ts.Fatalf("%v", err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK || !strings.Contains(string(body), args[2]) {
		ts.Fatalf("%s answers %d, %v: %.500s", args[0], response.StatusCode, err, body)
	}
}
