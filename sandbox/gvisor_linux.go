//go:build amd64 || arm64

package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"spade"
)

// A jail in gVisor: the program runsc runs the fork server as a container, and gVisor's own kernel answers the
// system calls of everything in it. The control socket is the container's standard input; instances are ended by
// the fork server, because their numbers mean nothing outside.

const gvisorHint = "Install gVisor (apt install runsc, or https://gvisor.dev/docs/user_guide/install/), or use --sandbox=full."

// openGvisor starts the light fork server in gVisor.
func (s *Sandbox) openGvisor(ctx context.Context, layers []Layer) error {
	var err error
	if s.runsc, err = exec.LookPath("runsc"); err != nil {
		return spade.Errorf(spade.ByMachine, gvisorHint, "looking for gVisor: %w", err)
	}
	if _, err := s.server(ctx, flavour{}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return spade.Errorf(spade.ByMachine, "See whether runsc do /bin/true works here; if not, use --sandbox=full.",
			"starting Python in gVisor: %w", err)
	}
	version, _ := exec.CommandContext(ctx, s.runsc, "--version").Output()
	first, _, _ := strings.Cut(string(version), "\n")
	layers = slices.DeleteFunc(layers, func(l Layer) bool { return l.Name == layerLandlock }) // gVisor has none
	layers = append(layers, Layer{Name: "gvisor", On: true, Why: "a kernel of its own answers environments: " + first})
	s.status = s.describe(Gvisor, layers, nil)
	return nil
}

// addBundle makes the folder of a container's bundle.
func (s *serverSpec) addBundle() error {
	folder, err := makeScratch(scratchGvisor)
	if err != nil {
		return fmt.Errorf("making a folder for gVisor: %w", err)
	}
	s.scratch = folder
	return nil
}

// writeBundle fills it: the root with a place for every bind, the fork server's files, and the configuration.
func (s *serverSpec) writeBundle() error {
	p := s.plan
	root, files := filepath.Join(s.scratch, "root"), filepath.Join(s.scratch, "files")
	err := errors.Join(os.Chmod(s.scratch, 0o755), os.Mkdir(root, 0o755), writeFiles(files, p.Files),
		os.MkdirAll(filepath.Join(root, p.Home), 0o755), os.MkdirAll(filepath.Join(root, p.Tmp), 0o755))
	for _, l := range p.Links {
		err = errors.Join(err, os.Symlink(l.Target, root+l.Path))
	}
	mounts := []ociMount{{p.Home, "bind", files, []string{"ro", "rbind"}}}
	for _, b := range p.Binds {
		if b.Device {
			continue // gVisor has its own
		}
		err = errors.Join(err, makeMountPoint(root+b.Path, b.Folder))
		mounts = append(mounts, ociMount{b.Path, "bind", b.Path, []string{"ro", "rbind"}})
	}
	for _, mask := range p.Masks {
		mounts = append(mounts, ociMount{mask, "tmpfs", "tmpfs", []string{"ro"}})
	}
	if err != nil {
		return fmt.Errorf("making gVisor's root: %w", err)
	}
	return os.WriteFile(filepath.Join(s.scratch, "config.json"), mustJSON(ociConfig(p, mounts)), 0o644)
}

type ociMount struct {
	Destination string   `json:"destination"`
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Options     []string `json:"options"`
}

// ociConfig is the configuration of a container after the Open Container Initiative's runtime specification. The
// capabilities are those of gVisor's kernel, not of this machine's; the fork server needs them to make instances.
func ociConfig(p plan, mounts []ociMount) map[string]any {
	capabilities := []string{"CAP_SYS_ADMIN", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP", "CAP_KILL"}
	var namespaces []map[string]string
	for _, kind := range []string{"pid", "network", "ipc", "uts", "mount"} {
		namespaces = append(namespaces, map[string]string{"type": kind})
	}
	return map[string]any{
		"ociVersion": "1.0.2",
		"hostname":   "spade",
		"process": map[string]any{
			"args": p.Argv, "env": p.Env, "cwd": "/",
			"user":         map[string]int{"uid": 0, "gid": 0},
			"capabilities": map[string]any{"bounding": capabilities, "effective": capabilities, "permitted": capabilities},
		},
		"root":   map[string]any{"path": "root", "readonly": true},
		"mounts": mounts,
		"linux":  map[string]any{"namespaces": namespaces},
	}
}

// panicLog is what gVisor's kernel says when it ends by a fault of its own.
const panicLog = "panic"

// lastWords returns the beginning of it, "" if there is nothing.
func (s serverSpec) lastWords() string {
	if s.runsc == "" {
		return ""
	}
	data, _ := os.ReadFile(filepath.Join(s.scratch, panicLog))
	first, _, _ := strings.Cut(string(data), "\n")
	return cut(printable(first), messageLimit)
}

// runscCommand runs the bundle of spec. Attached as it is, everything of it ends with runsc.
func runscCommand(spec serverSpec, control *os.File, stderr *tail) *exec.Cmd {
	arguments := []string{"--root", filepath.Join(spec.scratch, "state"), "--network=none", "--ignore-cgroups",
		"--panic-log", filepath.Join(spec.scratch, panicLog)}
	if os.Geteuid() != 0 {
		arguments = append(arguments, "--rootless")
	}
	cmd := exec.Command(spec.runsc, append(arguments, "run", "--bundle", spec.scratch, filepath.Base(spec.scratch))...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	cmd.Stdin, cmd.Stderr = control, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	return cmd
}
