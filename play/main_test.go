package play

import (
	"testing"

	"spade/sandbox"
	"spade/sandbox/sandboxtest"
)

// jail is the sandbox of all tests in this package.
var jail *sandbox.Sandbox

func TestMain(m *testing.M) { sandboxtest.Main(m, &jail) }
