package eval

import (
	"context"
	"fmt"
	"os"
	"testing"

	"spade/sandbox"
)

// jail is the sandbox of all tests in this package.
var jail *sandbox.Sandbox

func TestMain(m *testing.M) {
	sandbox.Init()
	os.Exit(runTests(m))
}

func runTests(m *testing.M) int {
	var err error
	if jail, err = sandbox.Open(context.Background(), sandbox.Config{}); err != nil {
		fmt.Fprintln(os.Stderr, "opening the sandbox for tests:", err)
		return 1
	}
	defer jail.Close()
	return m.Run()
}
