//go:build !linux

package main

import "os/exec"

// apartFromTerminal does nothing where runs cannot be played anyway.
func apartFromTerminal(*exec.Cmd) {}
