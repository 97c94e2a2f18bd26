package sandbox

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed harness/*.py
var harnessFiles embed.FS

// home is where the fork server's own files are in a jail with a private root.
const home = "/spade"

// spec describes the fork server of a flavour.
func (s *Sandbox) spec(f flavour, index int) (serverSpec, error) {
	spec := serverSpec{index: index}
	p := &spec.plan
	p.Namespaces = s.namespaces
	p.Home = home
	packages := ""
	if f.heavy {
		packages = s.packages()
	}
	if err := s.addBinds(p, packages); err != nil {
		return spec, err
	}
	p.Tmp = tmpFolder(*p)
	if !s.namespaces {
		if err := spec.addScratch(!s.unjailed); err != nil {
			return spec, err
		}
		p.Home = path.Join(spec.scratch, "spade")
	}
	spec.settings = s.settings(*p, packages)
	files, err := s.files(spec.settings)
	if err != nil {
		return spec, err
	}
	p.Files = files
	p.Argv = []string{s.interpreter.Executable, "-s", "-B", path.Join(p.Home, "server.py"), path.Join(p.Home, "settings.json")}
	p.Env = environ(f)
	return spec, nil
}

// environ is everything that environments see of an environment. Python must read it for the hash seed, so the
// isolated mode, which would ignore it, is not used; nothing of the host's variables is in it.
func environ(f flavour) []string {
	seed := "0"
	if f.alternate {
		seed = "1"
	}
	return []string{
		"PYTHONHASHSEED=" + seed, "PYTHONNOUSERSITE=1", "PYTHONUTF8=1", "LC_ALL=C.UTF-8", "HOME=/tmp",
		"OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1",
	}
}

func (s *Sandbox) addBinds(p *plan, packages string) error {
	folders, files := slices.Clone(s.interpreter.Folders), slices.Clone(s.interpreter.Files)
	if packages != "" {
		needed, err := s.interpreter.Needed(packages)
		if err != nil {
			return fmt.Errorf("following the libraries of the packages: %w", err)
		}
		folders = append(folders, packages)
		for _, file := range needed {
			if !slices.Contains(files, file) {
				files = append(files, file)
			}
		}
	}
	slices.Sort(folders)
	for _, folder := range folders {
		p.Binds = append(p.Binds, bind{Path: folder, Folder: true})
	}
	for _, file := range files {
		if !within(file, folders) {
			p.Binds = append(p.Binds, bind{Path: file})
		}
	}
	for _, device := range []string{"/dev/null", "/dev/urandom"} {
		p.Binds = append(p.Binds, bind{Path: device, Device: true})
	}
	p.Masks = s.interpreter.Hidden
	for from, to := range s.interpreter.Links {
		p.Links = append(p.Links, link{from, to})
	}
	slices.SortFunc(p.Links, func(a, b link) int { return strings.Compare(a.Path, b.Path) })
	return nil
}

// tmpFolder is /tmp, which the private folder of each process hides, unless Python itself is in there.
func tmpFolder(p plan) string {
	for _, b := range p.Binds {
		if strings.HasPrefix(b.Path, "/tmp/") {
			return "/var/tmp"
		}
	}
	return "/tmp"
}

func within(file string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(file, folder+"/") })
}

func (s *Sandbox) settings(p plan, packages string) serverSettings {
	limits := s.config.Limits
	return serverSettings{
		Namespaces:     p.Namespaces,
		Unjailed:       s.unjailed,
		Landlock:       landlockVersion(),
		Readable:       readable(p),
		InstanceFilter: path.Join(p.Home, "instance.bpf"),
		ServerFilter:   path.Join(p.Home, "server.bpf"),
		Packages:       packages,
		CPU:            int((limits.CPU + time.Second - 1) / time.Second),
		Memory:         limits.Memory,
		Harness:        harnessSettings{Observation: limits.Observation},
	}
}

// readable lists what landlock lets environments read: the top folders of a private root, or exactly the binds.
func readable(p plan) []string {
	var paths []string
	for _, b := range p.Binds {
		name := b.Path
		if b.Device {
			continue
		}
		if p.Namespaces {
			name = "/" + strings.SplitN(name, "/", 3)[1]
		}
		if !slices.Contains(paths, name) {
			paths = append(paths, name)
		}
	}
	return append(paths, p.Home)
}

// files are what the fork server finds in its home.
func (s *Sandbox) files(settings serverSettings) (map[string][]byte, error) {
	files := map[string][]byte{"settings.json": mustJSON(settings)}
	entries, err := harnessFiles.ReadDir("harness")
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		if files[entry.Name()], err = harnessFiles.ReadFile(path.Join("harness", entry.Name())); err != nil {
			return nil, err
		}
	}
	// Threads need a limit on their number, which only a user namespace gives.
	files["instance.bpf"], files["server.bpf"], err = filters(s.namespaces)
	return files, err
}
