package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"spade/policy/openai/openaitest"
)

// strictServer is a server that refuses to sample more than a few tokens.
func strictServer(t *testing.T) string {
	t.Helper()
	behind := &openaitest.Server{Model: "small", Reply: func(openaitest.Request) string { return `\boxed{up}` }}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var ask openaitest.Request
		if err == nil && json.Unmarshal(body, &ask) == nil && ask.MaxTokens > 1000 {
			w.WriteHeader(http.StatusBadRequest)
			io.WriteString(w, `{"error":{"message":"max_tokens is too large"}}`)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		behind.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// TestServerRefuses: commands that get no reply at all say that the server failed, and what to do.
func TestServerRefuses(t *testing.T) {
	policy, dir := "openai:"+strictServer(t), t.TempDir()
	passage, pool := filepath.Join(dir, "passage.txt"), filepath.Join(dir, "pool")
	maze, err := os.ReadFile("../../examples/rotating_maze.py")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(pool, 0o755); err != nil {
		t.Fatal(err)
	}
	for file, text := range map[string][]byte{passage: []byte("A maze turns.\n"), filepath.Join(pool, "maze.py"): maze} {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"design", "--passage", passage, "--policy", policy}, "max_tokens is too large\nnext: see what is wrong with the server, then try again\n"},
		{[]string{"eval", policy, "--pool", pool, "--seeds", "2"}, "gave no reply in any episode: bad_request 2\nnext: see what is wrong with the server, then measure again\n"},
		{[]string{"eval", policy, "--pool", pool, "--seeds", "2", "--json"}, "no reply in any episode: bad_request 2\nnext: "},
	} {
		var stdout, stderr strings.Builder
		cmd := exec.Command("spade", c.args...)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		cmd.Run()
		if status := cmd.ProcessState.ExitCode(); status != exitServer || stdout.Len() > 0 || !strings.Contains(stderr.String(), c.want) {
			t.Errorf("spade %s: status %d, %q\n%s\nwant status %d, %s", strings.Join(c.args, " "), status, stdout.String(), stderr.String(), exitServer, c.want)
		}
	}
}
