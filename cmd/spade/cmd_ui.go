package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"spade"
	"spade/diversity"
	"spade/web"
)

type uiCommand struct {
	Runs    []string `arg:"" name:"RUN" help:"Folders of runs; the first is shown first. Runs beside it can be chosen for comparison."`
	Addr    string   `help:"Where to listen. Beyond this machine, a token is required and printed." default:"127.0.0.1:7737"`
	Sandbox string   `help:"Isolation of environments that you play: full, gvisor (stronger, needs runsc) or degraded." enum:"full,degraded,gvisor" default:"full"`
}

func (c *uiCommand) Run(ctx context.Context, con console) error {
	// This process mostly waits: it may collect often, so that the map of ten thousand environments takes less memory.
	debug.SetGCPercent(40)
	var named []web.Named
	names := uiNames(c.Runs)
	for i, dir := range c.Runs {
		if slices.Contains(names[:i], names[i]) { // the same folder again
			continue
		}
		run, err := openRun(dir)
		if err != nil {
			return err
		}
		named = append(named, web.Named{Name: names[i], Open: func() (web.Run, error) { return run, nil }})
		defer run.Close()
	}
	server, err := serveUI(con.teller(), c.Addr, uiOptions(con.teller(), named, c.Runs, c.Sandbox))
	if err != nil {
		return err
	}
	go server.web.Prepare()
	<-ctx.Done()
	server.stop()
	return nil
}

// uiOptions are the options of a dashboard of runs in some folders.
func uiOptions(tell teller, runs []web.Named, dirs []string, isolation string) web.Options {
	return web.Options{
		Runs: runs, More: func() []web.Named { return neighbours(dirs) },
		Project: project, Table: &jailTable{isolation: isolation, tell: tell},
	}
}

// project places environments in the plane by their sources.
func project(sources []string) [][2]float64 {
	items := make([]diversity.Item, len(sources))
	for i, source := range sources {
		items[i].Source = source
	}
	return diversity.Project(items)
}

// uiName is the name of a run in addresses: that of its folder.
func uiName(dir string) string { return uiNames([]string{dir})[0] }

// uiNames are the names of runs in addresses: those of their folders, with as many of the folders above as tell them
// apart. A folder that is there twice has the same name twice.
func uiNames(dirs []string) []string {
	paths := absolutes(dirs)
	names := make([]string, len(paths))
	for i, path := range paths {
		parts := 1
		for slices.ContainsFunc(paths, func(other string) bool { return other != path && pathEnd(other, parts) == pathEnd(path, parts) }) {
			parts++
		}
		names[i] = pathEnd(path, parts)
	}
	return names
}

// pathEnd is the last parts of a path, all of it where it has no more.
func pathEnd(path string, parts int) string {
	elements := strings.Split(path, string(filepath.Separator))
	return strings.Join(elements[max(0, len(elements)-parts):], "/")
}

func absolutes(dirs []string) []string {
	paths := make([]string, len(dirs))
	for i, dir := range dirs {
		paths[i] = filepath.Clean(dir)
		if absolute, err := filepath.Abs(dir); err == nil {
			paths[i] = absolute
		}
	}
	return paths
}

// neighbours are the runs in the same folder as the first of some runs, without any of these.
func neighbours(dirs []string) []web.Named {
	given := absolutes(dirs)
	parent := filepath.Dir(given[0])
	entries, err := os.ReadDir(parent)
	if err != nil {
		return nil
	}
	var found []web.Named
	for _, entry := range entries {
		beside := filepath.Join(parent, entry.Name())
		if slices.Contains(given, beside) {
			continue
		}
		if _, err := os.Stat(filepath.Join(beside, "config.yaml")); err != nil {
			continue
		}
		if _, err := os.Stat(filepath.Join(beside, "spade.db")); err != nil {
			continue
		}
		names := uiNames(append([]string{beside}, given...))
		found = append(found, web.Named{Name: names[0], Open: func() (web.Run, error) { return openRun(beside) }})
	}
	return found
}

// uiServer is a dashboard that is being served.
type uiServer struct {
	http  *http.Server
	web   *web.Server
	table *jailTable
	ended chan struct{}
}

// serveUI listens and says where. Loopback needs no token; everywhere else one is made and printed, this once.
func serveUI(tell teller, addr string, options web.Options) (*uiServer, error) {
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "choose another address with --addr, for example --addr 127.0.0.1:0 for any free port",
			"open the dashboard: %w", err)
	}
	at := listener.Addr().(*net.TCPAddr)
	address := "http://" + listener.Addr().String() + "/"
	if at.IP.IsLoopback() {
		options.Hosts = []string{"localhost", "127.0.0.1", "::1"}
		if host, _, err := net.SplitHostPort(addr); err == nil && host != "" {
			options.Hosts = append(options.Hosts, strings.ToLower(host), at.IP.String())
		}
	} else {
		options.Token = web.NewToken()
		if at.IP.IsUnspecified() {
			name, _ := os.Hostname()
			address = fmt.Sprintf("http://%s/", net.JoinHostPort(name, fmt.Sprint(at.Port)))
		}
		address += "?token=" + options.Token
	}
	s := &uiServer{web: web.New(options), ended: make(chan struct{})}
	s.table, _ = options.Table.(*jailTable)
	s.http = &http.Server{Handler: s.web.Handler(), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	go func() {
		defer close(s.ended)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			tell.notice("the dashboard ended: " + err.Error())
		}
	}()
	tell.notice("the dashboard is at " + address)
	if options.Token != "" {
		tell.notice("whoever has this address can see the runs and play their environments; it is not encrypted, so keep it within a network that you trust")
	}
	return s, nil
}

// stop ends the dashboard: streams never end by themselves, so they are cut.
func (s *uiServer) stop() {
	s.http.Close()
	<-s.ended
	s.web.Close()
	if s.table != nil {
		s.table.close()
	}
}
