package sandbox

import (
	"context"
	_ "embed"
	"fmt"
	"os"

	"spade"
)

//go:embed selftest.py
var selfTestSource string

// Probe is the result of one attempt of the self-test to get out of the jail.
type Probe struct {
	Name string `json:"name"`
	// OK says that the jail held.
	OK bool `json:"ok"`
	// Detail says what got through, "" if nothing did.
	Detail string `json:"detail,omitempty"`
}

// selfTests are the probes of selftest.py, with what a person reads about them.
var selfTests = []struct{ action, name string }{
	{"processes", "other processes are invisible"},
	{"network", "there is no network"},
	{"fork", "no process can be started"},
	{"execute", "no program can be executed"},
	{"trace", "nothing can be traced"},
	{"signal", "nothing can be signalled"},
	{"namespaces", "no namespace can be made"},
	{"mount", "nothing can be mounted"},
	{"outside", "nothing but /tmp can be written"},
	{"disk", "the space for files is bounded"},
	{"memory", "memory is bounded"},
	{"threads", "the number of threads is bounded"},
	{"descriptors", "no descriptor leaks in"},
	{"variables", "no variable leaks in"},
}

// SelfTest has real instances try to get out of the jail and reports what each attempt came to. An error means
// that the tests could not be made.
func (s *Sandbox) SelfTest(ctx context.Context) ([]Probe, error) {
	instances := make([]*Instance, 2)
	for n := range instances {
		p, fault, err := s.Load(ctx, selfTestSource, LoadOptions{})
		if err != nil {
			return nil, err
		}
		if fault != nil {
			return nil, spade.Errorf(spade.BySandbox, "", "loading the self-test: %v", fault)
		}
		defer p.Close()
		if instances[n], fault, err = p.New(ctx, 0); err != nil || fault != nil {
			return nil, spade.Errorf(spade.BySandbox, "", "starting the self-test: %v %w", fault, err)
		}
	}
	secret, err := makeSecret()
	if err != nil {
		return nil, err
	}
	defer os.Remove(secret)

	var probes []Probe
	try := func(i *Instance, name, action string) error {
		step, fault, err := i.Step(ctx, action)
		probe := Probe{Name: name, Detail: step.Observation}
		if fault != nil {
			probe.Detail = fault.String()
		}
		probe.OK = probe.Detail == ""
		probes = append(probes, probe)
		return err
	}
	err = try(instances[0], "files of the host are unreadable", "secret "+secret)
	for n, name := range []string{"temporary files are gone with their environment", "temporary files are private"} {
		if err == nil {
			err = try(instances[n], name, fmt.Sprintf("private file-%d", n))
		}
	}
	for n := 0; n < len(selfTests) && err == nil; n++ {
		err = try(instances[0], selfTests[n].name, selfTests[n].action)
	}
	return probes, err
}

// makeSecret leaves a file in the host's folder for temporary files and returns its path.
func makeSecret() (string, error) {
	f, err := os.CreateTemp("", "spade-secret-")
	if err != nil {
		return "", fmt.Errorf("making a file to protect: %w", err)
	}
	_, err = f.WriteString("a secret of the host")
	if err == nil {
		err = f.Chmod(0o644)
	}
	f.Close()
	return f.Name(), err
}
