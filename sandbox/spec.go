package sandbox

import (
	"embed"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"time"
)

//go:embed harness/*.py
var harnessFiles embed.FS

// home is where the fork server's own files are in a jail with a private root.
const home = "/spade"

// spec describes the fork server of a flavour, with the folder of packages, "" for none. Whatever it returns may have a
// folder on the host, also with an error.
func (s *Sandbox) spec(f flavour, index int, packages string) (serverSpec, error) {
	spec := serverSpec{index: index, processes: s.config.MaxProcesses}
	p := &spec.plan
	p.Namespaces = s.namespaces
	p.Home = home
	if err := s.addBinds(p, packages); err != nil {
		return spec, err
	}
	p.Tmp = tmpFolder(*p)
	var err error
	switch {
	case s.runsc != "":
		spec.runsc = s.runsc
		err = spec.addBundle()
	case !s.namespaces:
		err = spec.addScratch(!s.unjailed)
		p.Home = path.Join(spec.scratch, "spade")
	}
	if err != nil {
		return spec, err
	}
	if spec.settings, err = s.settings(*p, packages); err != nil {
		return spec, err
	}
	if p.Files, err = s.files(spec.settings); err != nil {
		return spec, err
	}
	p.Argv = []string{s.interpreter.Executable, "-s", "-B", path.Join(p.Home, "server.py"), path.Join(p.Home, "settings.json")}
	p.Env = environ(f)
	if spec.runsc != "" {
		return spec, spec.writeBundle()
	}
	return spec, nil
}

// removeScratch removes the folder of a jail that has ended or was never built.
func (s *serverSpec) removeScratch() {
	if s.scratch != "" {
		os.RemoveAll(s.scratch)
	}
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

func (s *Sandbox) settings(p plan, packages string) (serverSettings, error) {
	limits := s.config.Limits
	settings := serverSettings{
		Namespaces:     p.Namespaces,
		Unjailed:       s.unjailed,
		Gvisor:         s.runsc != "",
		Landlock:       landlockVersion(),
		Tmp:            p.Tmp,
		InstanceFilter: path.Join(p.Home, "instance.bpf"),
		ServerFilter:   path.Join(p.Home, "server.bpf"),
		Packages:       packages,
		CPU:            int((limits.CPU + time.Second - 1) / time.Second),
		Memory:         limits.Memory,
		Harness:        harnessSettings{Observation: limits.Observation},
	}
	if settings.Gvisor {
		settings.Landlock = 0 // gVisor has none
		return settings, nil
	}
	if p.Namespaces {
		settings.Readable, settings.Listable = topFolders(p), []string{}
		return settings, nil
	}
	var err error
	settings.Readable, settings.Listable, err = withoutMasked(p)
	return settings, err
}

// topFolders are what landlock lets environments read in a private root, where nothing else is.
func topFolders(p plan) []string {
	var folders []string
	for _, b := range p.Binds {
		if name := "/" + strings.SplitN(b.Path, "/", 3)[1]; !b.Device && !slices.Contains(folders, name) {
			folders = append(folders, name)
		}
	}
	return append(folders, p.Home)
}

// withoutMasked are what landlock lets environments read on the host: the binds and, where a folder has masked
// ones in it, everything else in it. Of those folders, and so of what is masked, the names can be listed.
func withoutMasked(p plan) (readable, listable []string, err error) {
	listable = []string{} // in JSON a list, not null
	for _, b := range p.Binds {
		if b.Device {
			continue
		}
		if !slices.ContainsFunc(p.Masks, func(mask string) bool { return path.Dir(mask) == b.Path }) {
			readable = append(readable, b.Path)
			continue
		}
		listable = append(listable, b.Path)
		entries, err := os.ReadDir(b.Path)
		if err != nil {
			return nil, nil, fmt.Errorf("listing what environments may read: %w", err)
		}
		for _, entry := range entries {
			if name := path.Join(b.Path, entry.Name()); !slices.Contains(p.Masks, name) {
				readable = append(readable, name)
			}
		}
	}
	return append(readable, p.Home), listable, nil
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
	files["instance.bpf"], files["server.bpf"], err = filters(s.namespaces || settings.Gvisor, settings.Gvisor)
	return files, err
}
