//go:build !linux

package sandbox

import (
	"context"
	"errors"
	"runtime"
	"syscall"
	"time"
)

// Outside Linux there is no jail: Open says so, and nothing below is reached after that.

var errNoJail = errors.New("jails need Linux")

// Init does nothing outside Linux.
func Init() {}

func machineLayers() []Layer {
	return []Layer{{Name: layerPlatform, Why: runtime.GOOS + " has no namespaces and no seccomp", Fix: nextContainer}}
}

func landlockVersion() int                                    { return 0 }
func namespaceFix(*layerError) string                         { return nextContainer }
func filters(bool, bool) (instance, server []byte, err error) { return nil, nil, errNoJail }
func killPidfd(int)                                           {}
func closePidfd(int)                                          {}
func cpuTime(int) time.Duration                               { return 0 }
func queueTime(int) time.Duration                             { return 0 }
func unread(syscall.RawConn) bool                             { return false }
func describeExit(int) string                                 { return "" }
func killed(int) bool                                         { return false }
func outOfTime(int) bool                                      { return false }
func runnable(int) bool                                       { return false }

func removeStaleScratch() {}

func (s *serverSpec) addScratch(bool) error { return errNoJail }
func (s *serverSpec) addBundle() error      { return errNoJail }
func (s *serverSpec) writeBundle() error    { return errNoJail }

func (s *Sandbox) openGvisor(context.Context, []Layer) error { return errNoJail }

func (c *child) ended() bool         { return c.over }
func (c *child) used() time.Duration { return 0 }

type server struct {
	dead chan struct{}
	why  error
}

func startServer(context.Context, serverSpec) (*server, error)      { return nil, errNoJail }
func (s *server) acquire(context.Context, sourceID) (*child, error) { return nil, errNoJail }
func (s *server) inside() []sourceID                                { return nil }
func (s *server) works() bool                                       { return false }
func (s *server) close()                                            {}
func (s *server) groupLayer() Layer                                 { return Layer{} }
