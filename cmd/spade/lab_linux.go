package main

import (
	"os/exec"
	"syscall"
)

// apartFromTerminal keeps the signals of a terminal away from a child, which is told by its parent instead, and ends it
// if its parent dies: runs lose nothing by that.
func apartFromTerminal(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
