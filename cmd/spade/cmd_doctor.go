package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"spade"
	"spade/policy/local/kernel"
	"spade/sandbox"
	"spade/sandbox/python"
)

type doctorCommand struct {
	Sandbox string `help:"Isolation to test: full, gvisor or degraded." enum:"full,degraded,gvisor" default:"full"`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// diagnosis is what this machine offers.
type diagnosis struct {
	OK      bool            `json:"ok"`
	System  string          `json:"system"`
	Cores   int             `json:"cores"`
	Kernels string          `json:"kernels"`
	Python  string          `json:"python"`
	Tier    sandbox.Tier    `json:"tier"`
	Layers  []sandbox.Layer `json:"layers"`
	Probes  []sandbox.Probe `json:"probes"`
	Problem string          `json:"problem,omitempty"`
}

func (c *doctorCommand) Run(ctx context.Context, con console) error {
	d := diagnosis{System: runtime.GOOS + "/" + runtime.GOARCH, Cores: runtime.GOMAXPROCS(0), Kernels: kernel.Path(),
		Layers: []sandbox.Layer{}, Probes: []sandbox.Probe{}}
	err := c.examine(ctx, con, &d)
	if err != nil {
		d.Problem = err.Error()
	}
	if c.JSON {
		if printErr := printJSON(con, d); printErr != nil {
			return printErr
		}
		return err
	}
	if _, printErr := fmt.Fprint(con.out, d.text()); printErr != nil {
		return printErr
	}
	return err
}

// text is the diagnosis for people: a line for each layer and probe, in columns.
func (d diagnosis) text() string {
	width := 0
	for _, l := range d.Layers {
		width = max(width, len(l.Name))
	}
	for _, p := range d.Probes {
		width = max(width, len(p.Name))
	}
	var b strings.Builder
	line := func(state, name, why string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-4s  %-*s  %s", state, width, name, why), " ") + "\n")
	}
	fmt.Fprintf(&b, "system   %s, %d cores, %s kernels\npython   %s\nsandbox  %s\n", d.System, d.Cores, d.Kernels,
		cmp.Or(d.Python, "none"), cmp.Or(string(d.Tier), "none"))
	if len(d.Layers) > 0 {
		b.WriteString("layers\n")
	}
	for _, l := range d.Layers {
		line(onOff(l.On), l.Name, l.Why)
		if l.Fix != "" {
			line("", "", l.Fix)
		}
	}
	if len(d.Probes) > 0 {
		b.WriteString("tried from inside\n")
	}
	for _, p := range d.Probes {
		line(okHole(p.OK), p.Name, p.Detail)
	}
	return visible(b.String())
}

// examine fills in d; the error says what this machine lacks.
func (c *doctorCommand) examine(ctx context.Context, con console, d *diagnosis) error {
	interpreter, err := python.Find(ctx, "")
	if err != nil {
		return err
	}
	d.Python = fmt.Sprintf("%s (%s)", interpreter.Executable, interpreter.Version)
	jail, err := openSandbox(ctx, c.Sandbox, sandbox.Limits{}, con.teller())
	if err != nil {
		status, _ := sandbox.Diagnose(ctx, sandboxConfig(c.Sandbox, sandbox.Limits{}, con.teller())) // err says it already
		d.Tier, d.Layers = status.Tier, status.Layers
		return err
	}
	defer jail.Close()
	status := jail.Status()
	d.Tier, d.Layers = status.Tier, status.Layers
	if d.Probes, err = jail.SelfTest(ctx); err != nil {
		return err
	}
	for _, p := range d.Probes {
		if !p.OK {
			return spade.Errorf(spade.ByMachine, "do not run generated code on this machine, and report this with the output of spade doctor --json",
				"the jail has a hole: %s", p.Name)
		}
	}
	d.OK = true
	return nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func okHole(ok bool) string {
	if ok {
		return "ok"
	}
	return "HOLE"
}
