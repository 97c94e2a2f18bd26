package spade

import "fmt"

// Boundary says at which boundary of the program a failure happened.
type Boundary string

const (
	// ByUser: a wrong option, file or configuration.
	ByUser Boundary = "user"
	// ByMachine: this machine cannot do it (no isolation, no memory, no Python).
	ByMachine Boundary = "machine"
	// ByPolicy: a model server or the embedded model failed.
	ByPolicy Boundary = "policy"
	// BySandbox: our jail machinery failed. Misbehaving environments are verdicts, never errors.
	BySandbox Boundary = "sandbox"
	// ByStore: the run could not be read or written.
	ByStore Boundary = "store"
)

// Error is a failure that says at which boundary it happened and what to do next. Its text says what was
// being done and why it failed.
type Error struct {
	Boundary Boundary
	Err      error
	// Next tells a person what to do, in one sentence; "" if nothing useful can be said.
	Next string
}

func (e *Error) Error() string { return e.Err.Error() }

func (e *Error) Unwrap() error { return e.Err }

// Errorf returns an Error at boundary b. The format says what was being done and may wrap a cause with %w;
// next says what to do about it.
func Errorf(b Boundary, next, format string, args ...any) *Error {
	return &Error{Boundary: b, Err: fmt.Errorf(format, args...), Next: next}
}
