// Package sandboxtest gives the tests of a package one sandbox to share, because opening one starts its jails.
//
// It owns nothing but that sandbox's life, and runs in tests only.
package sandboxtest

import (
	"context"
	"fmt"
	"os"
	"testing"

	"spade/sandbox"
)

// Main is the whole of a TestMain: it opens a sandbox into jail, runs the tests and ends the process.
func Main(m *testing.M, jail **sandbox.Sandbox) {
	sandbox.Init()
	os.Exit(run(m, jail))
}

func run(m *testing.M, jail **sandbox.Sandbox) int {
	var err error
	if *jail, err = sandbox.Open(context.Background(), sandbox.Config{}); err != nil {
		fmt.Fprintln(os.Stderr, "opening the sandbox for tests:", err)
		return 1
	}
	defer (*jail).Close()
	return m.Run()
}
