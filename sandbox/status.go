package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"spade"
)

// Tier is how strong the jail is.
type Tier string

const (
	// Full: namespaces, private root, seccomp and limits.
	Full Tier = "full"
	// Gvisor: everything runs in a kernel of its own, with seccomp and limits inside it.
	Gvisor Tier = "gvisor"
	// Degraded: landlock, seccomp and limits only.
	Degraded Tier = "degraded"
	// None: environments cannot be run.
	None Tier = "none"
)

// Status says what protects this machine from environments.
type Status struct {
	Tier Tier `json:"tier"`
	// Python is the interpreter's binary and version.
	Python string  `json:"python"`
	Layers []Layer `json:"layers"`
}

// Layer is one wall of the jail.
type Layer struct {
	Name string `json:"name"`
	On   bool   `json:"on"`
	// Why says what the layer does, or what is missing.
	Why string `json:"why"`
	// Fix says how to get it, "" if it is on.
	Fix string `json:"fix,omitempty"`
}

// required layers must be there in any case; requiredDegraded also where there are no namespaces.
var (
	required         = []string{layerPlatform, layerSeccomp}
	requiredDegraded = []string{layerLandlock}
)

// The layers of a jail, as a status names them.
const (
	layerPlatform = "platform"
	layerUser     = "user namespace"
	layerMount    = "private root"
	layerLandlock = "landlock"
	layerSeccomp  = "seccomp"
)

// nextContainer says how to get a Linux where there is none or an unwilling one.
const nextContainer = "Run it in a Linux container that allows namespaces: " +
	"docker run --rm -it --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined " +
	"-v \"$PWD\":/src -w /src python:3.12 ./spade doctor (build with GOOS=linux)."

func missing(layers []Layer, names []string) *Layer {
	for i, layer := range layers {
		if !layer.On && slices.Contains(names, layer.Name) {
			return &layers[i]
		}
	}
	return nil
}

func (l Layer) error() error {
	return spade.Errorf(spade.ByMachine, l.Fix, "no jail for environments on this machine: %s is missing: %s", l.Name, l.Why)
}

func namespaceError(e *layerError) error {
	return spade.Errorf(spade.ByMachine, namespaceFix(e),
		"no jail for environments on this machine: %w", e)
}

// Diagnose says what would protect this machine if a sandbox were opened with config. It opens one to see, and
// closes it; the error is that of Open, and the status then shows which layers there are.
func Diagnose(ctx context.Context, config Config) (Status, error) {
	s, err := Open(ctx, config)
	if err == nil {
		defer s.Close()
		return s.Status(), nil
	}
	status := Status{Tier: None, Layers: machineLayers()}
	var refused *layerError
	if errors.As(err, &refused) {
		status.Layers = append(status.Layers, Layer{Name: refused.layer, Why: refused.err.Error(), Fix: namespaceFix(refused)})
	}
	return status, err
}

// describe completes the machine's layers with those that building the jail has shown. refused is why there are
// no namespaces.
func (s *Sandbox) describe(tier Tier, machine []Layer, refused *layerError) Status {
	names := []struct{ name, why string }{
		{layerUser, "environments are an unprivileged user of their own"},
		{"pid namespace", "environments see and signal no process but their own"},
		{"network namespace", "environments have no network, not even a loopback"},
		{"ipc and host name namespaces", "nothing is shared with other programs"},
		{layerMount, "environments see Python and its libraries, all else does not exist"},
	}
	layers := slices.Clone(machine)
	for _, n := range names {
		layer := Layer{Name: n.name, On: refused == nil, Why: n.why}
		if refused != nil {
			layer.Why, layer.Fix = refused.Error(), namespaceFix(refused)
		}
		layers = append(layers, layer)
	}
	limits := s.config.Limits
	layers = append(layers, Layer{Name: "limits", On: true, Why: fmt.Sprintf(
		"%d MiB of memory, %v of processor time, %v for a step", limits.Memory>>20, limits.CPU, limits.Step)})
	layers = append(layers, s.servers[flavour{}].server.groupLayer())
	return Status{
		Tier:   tier,
		Python: fmt.Sprintf("%s (%s)", s.interpreter.Executable, s.interpreter.Version),
		Layers: layers,
	}
}
