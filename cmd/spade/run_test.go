package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"spade"
	"spade/selfplay"
)

// TestAbsolutePaths: what a run records of its models is found from every folder. Names without a relative path stay as they
// are.
func TestAbsolutePaths(t *testing.T) {
	t.Chdir(t.TempDir())
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const server = "tinker:https://host/path#Qwen/Qwen3-8B"
	for name, want := range map[string]string{
		"local":                                  "local",
		"local:weights":                          "local:" + here + "/weights",
		"openai:http://host#m?tokenizer=x":       "openai:http://host#m?tokenizer=x",
		"tinker:http://127.0.0.1:8700":           "tinker:http://127.0.0.1:8700",
		server + "?loss=ppo":                     server + "?loss=ppo",
		server + "?tokenizer=/a%20b/t.json":      server + "?tokenizer=/a%20b/t.json",
		server + "?tokenizer=t.json":             server + "?tokenizer=" + here + "/t.json",
		server + "?tokenizer=../t.json&loss=ppo": server + "?tokenizer=" + filepath.Dir(here) + "/t.json&loss=ppo",
		server + "?loss=ppo&tokenizer=a%26b+c":   server + "?loss=ppo&tokenizer=" + here + "/a%26b+c",
		server + "?tokenizer=":                   server + "?tokenizer=",
	} {
		cfg := selfplay.Config{Policy: name, Designer: name, Agent: name, Auditor: name}
		if err := absolutePaths(&cfg); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for key, got := range map[string]string{"policy": cfg.Policy, "designer": cfg.Designer, "agent": cfg.Agent, "auditor": cfg.Auditor} {
			if got != want {
				t.Errorf("%s: %s\nbecomes %s\nwant    %s", key, name, got, want)
			}
		}
	}
	_, _, settings, err := tinkerModel(strings.TrimPrefix(absoluteModelOf(t, server+"?tokenizer="+url.QueryEscape("a&b c/t+%.json")), "tinker:"))
	if want := here + "/a&b c/t+%.json"; err != nil || settings.Get("tokenizer") != want {
		t.Errorf("the tokenizer %q is read, want %q; %v", settings.Get("tokenizer"), want, err)
	}
}

func absoluteModelOf(t *testing.T, name string) string {
	t.Helper()
	cfg := selfplay.Config{Policy: name}
	if err := absolutePaths(&cfg); err != nil {
		t.Fatal(err)
	}
	return cfg.Policy
}

// TestInterruptedRun: after Ctrl-C a run says that what it finished is safe, unless it is not: then it says why, and what to
// do about that.
func TestInterruptedRun(t *testing.T) {
	full := fmt.Errorf("cycle 3: %w", errors.Join(context.Canceled,
		spade.Errorf(spade.ByStore, "free space, then spade run --resume --dir runs/x; cycles up to 1 are safe", "committing cycle 2: no space left on device")))
	gone := fmt.Errorf("cycle 3: %w", errors.Join(context.Canceled,
		fmt.Errorf("committing cycle 2: %w", spade.Errorf(spade.ByPolicy, "see that the server runs", "tinker: save_weights: no answer"))))
	const safe = "next: the cycle in work was dropped and all before it is safe; go on with: spade run --resume --dir runs/x\n"
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"nothing else": {fmt.Errorf("cycle 3: %w", context.Canceled), "spade: interrupted\n" + safe},
		// Processes of ours end by the same signal, and what was being read is cut short.
		"the jail ended":    {fmt.Errorf("cycle 3: %w", spade.Errorf(spade.BySandbox, "try again", "the jail ended")), "spade: interrupted\n" + safe},
		"reading stopped":   {spade.Errorf(spade.ByStore, "put it back", "restore: %w", context.Canceled), "spade: interrupted\n" + safe},
		"the disk is full":  {full, "spade: run runs/x: interrupted; committing cycle 2: no space left on device\nnext: free space, then spade run --resume --dir runs/x; cycles up to 1 are safe\n"},
		"the server failed": {gone, "spade: run runs/x: interrupted; tinker: save_weights: no answer\nnext: see that the server runs\n"},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		var stderr strings.Builder
		if status := report(&stderr, ctx, interrupted(ctx, "runs/x", c.err)); status != exitSignal || stderr.String() != c.want {
			t.Errorf("%s: status %d,\n%s\nwant\n%s", name, status, stderr.String(), c.want)
		}
	}
	ctx, end := context.WithCancelCause(t.Context())
	end(errUnread)
	for err, want := range map[error]string{
		context.Canceled: "spade: run runs/x: nobody reads the output any more\n" + safe,
		full:             "spade: run runs/x: nobody reads the output any more; committing cycle 2: no space left on device\nnext: free space, then spade run --resume --dir runs/x; cycles up to 1 are safe\n",
	} {
		var stderr strings.Builder
		if status := report(&stderr, t.Context(), interrupted(ctx, "runs/x", err)); status != exitUnread || stderr.String() != want {
			t.Errorf("status %d,\n%s\nwant\n%s", status, stderr.String(), want)
		}
	}
}
