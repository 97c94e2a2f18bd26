//go:build amd64 || arm64

package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A server is one fork server in its jail, with the processes that it has made.
type server struct {
	spec    serverSpec
	control int
	cmd     *exec.Cmd
	stderr  *tail
	// group is the control group of the jail; nil where groupError says why there is none.
	group      *group
	groupError error
	limits     groupLimits
	// pool holds processes that are ready for a source; filling it starts with the first that is wanted.
	pool chan *child
	// failures passes on why a process could not be made, to whoever waits for one.
	failures chan error
	// dead is closed when the server is gone, why is set before; clean is closed when all traces are gone too.
	dead, clean chan struct{}
	why         error

	mu       sync.Mutex
	filling  bool
	filler   sync.WaitGroup
	next     int64
	waiting  map[int64]chan *child
	children map[int64]*child
	// departed are the sources of the processes that ended last. What they have left behind may end the jail when
	// others take their places.
	departed []sourceID
	// closed says that we end the server; tenants are the sources that were in it when it ended by itself.
	closed  bool
	tenants []sourceID
}

// startServer starts a fork server and waits until it is ready. A *layerError means that this machine does not
// let us build the jail.
func startServer(ctx context.Context, spec serverSpec) (*server, error) {
	s := &server{
		spec:     spec,
		stderr:   &tail{},
		pool:     make(chan *child, poolSize-1),
		failures: make(chan error),
		dead:     make(chan struct{}),
		clean:    make(chan struct{}),
		waiting:  map[int64]chan *child{},
		children: map[int64]*child{},
	}
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("making a control socket: %w", err)
	}
	s.control = ends[0]
	theirs := os.NewFile(uintptr(ends[1]), "control")
	if spec.runsc != "" {
		s.cmd = runscCommand(spec, theirs, s.stderr)
	} else {
		s.cmd = jailCommand(spec, theirs, s.stderr)
	}
	err = launch(s.cmd)
	theirs.Close()
	if err != nil {
		unix.Close(s.control)
		return nil, &layerError{layerUser, fmt.Errorf("starting a process in its own namespaces: %w", err), profile()}
	}
	if !spec.settings.Unjailed {
		s.joinGroup()
	}
	if err := s.awaitReady(ctx); err != nil {
		s.cmd.Process.Kill()
		s.cmd.Wait()
		s.leaveGroup()
		unix.Close(s.control)
		return nil, err
	}
	go s.listen()
	return s, nil
}

func jailCommand(spec serverSpec, control *os.File, stderr *tail) *exec.Cmd {
	cmd := exec.Command("/proc/self/exe")
	cmd.Args = []string{jailName}
	cmd.Env = []string{}
	cmd.Stderr = stderr
	cmd.ExtraFiles = []*os.File{control}
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	cmd.SysProcAttr = attr
	if !spec.plan.Namespaces {
		if spec.user != 0 {
			attr.Credential = &syscall.Credential{Uid: uint32(spec.user), Gid: uint32(spec.user)}
		}
		return cmd
	}
	attr.Cloneflags = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET |
		syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS
	uid, gid := os.Geteuid(), os.Getegid()
	if uid == 0 {
		// Root inside the jail is a user without any rights outside it.
		uid = unusedID(spec.index)
		gid = uid
		attr.GidMappingsEnableSetgroups = true
		attr.Credential = &syscall.Credential{}
	}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: uid, Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: gid, Size: 1}}
	return cmd
}

const (
	firstJailID = 200000
	nobodyID    = 65534
)

// unusedID returns a user and group id for a jail that nothing else on the host uses, or nobody's where our own
// user namespace has no such id.
func unusedID(index int) int {
	id := firstJailID + index
	if mapped("/proc/self/uid_map", id) && mapped("/proc/self/gid_map", id) {
		return id
	}
	return nobodyID
}

// mapped reports whether a map of a user namespace has id.
func mapped(mapFile string, id int) bool {
	data, err := os.ReadFile(mapFile)
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(data)) {
		var first, outside, count int
		if _, err := fmt.Sscan(line, &first, &outside, &count); err == nil && first <= id && id-first < count {
			return true
		}
	}
	return false
}

// launches are the commands to start. They are started by one thread that never ends, because the kernel sends
// the death signal of a child when the thread that made it ends.
var launches = sync.OnceValue(func() chan<- launchRequest {
	requests := make(chan launchRequest)
	go serveLaunches(requests)
	return requests
})

type launchRequest struct {
	cmd  *exec.Cmd
	done chan error
}

func serveLaunches(requests <-chan launchRequest) {
	runtime.LockOSThread()
	for r := range requests {
		r.done <- r.cmd.Start()
	}
}

func launch(cmd *exec.Cmd) error {
	request := launchRequest{cmd, make(chan error, 1)}
	launches() <- request
	return <-request.done
}

// awaitReady sends the plan, unless gVisor has built the jail, and waits until the fork server says that it is ready.
func (s *server) awaitReady(ctx context.Context) error {
	if s.spec.runsc == "" {
		if err := s.sendPlan(); err != nil {
			return err
		}
	}
	stop := context.AfterFunc(ctx, func() { unix.Shutdown(s.control, unix.SHUT_RDWR) })
	defer stop()
	timer := time.AfterFunc(startTimeout, func() { unix.Shutdown(s.control, unix.SHUT_RDWR) })
	defer timer.Stop()
	return s.readReady(ctx)
}

func (s *server) sendPlan() error {
	mounts, err := s.attachMounts()
	defer func() {
		for _, fd := range mounts {
			unix.Close(fd)
		}
	}()
	if err != nil {
		return err
	}
	data := mustJSON(s.spec.plan)
	if len(data) > maxPlan {
		return fmt.Errorf("the plan of the jail has %d bytes; %d are possible", len(data), maxPlan)
	}
	var rights []byte
	if len(mounts) > 0 {
		rights = unix.UnixRights(mounts...)
	}
	if err := unix.Sendmsg(s.control, data, rights, nil, unix.MSG_NOSIGNAL); err != nil {
		return fmt.Errorf("sending the plan of the jail: %w", err)
	}
	return nil
}

func (s *server) readReady(ctx context.Context) error {
	buffer := make([]byte, 8<<10)
	n, err := receive(s.control, buffer, nil, nil)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var answer struct {
		buildReport
		Ready bool
	}
	switch {
	case err != nil:
		return fmt.Errorf("waiting for the fork server: %w", err)
	case n == 0:
		return fmt.Errorf("the fork server did not start: %s", s.stderr)
	}
	if err := json.Unmarshal(buffer[:n], &answer); err != nil {
		return fmt.Errorf("reading the fork server's answer: %w", err)
	}
	if !answer.Ready {
		return &layerError{answer.Layer, remoteError{answer.Error, unix.Errno(answer.Errno)}, answer.Profile}
	}
	return nil
}

// remoteError is an error of the jail's first process.
type remoteError struct {
	text  string
	errno unix.Errno
}

func (e remoteError) Error() string { return e.text }
func (e remoteError) Unwrap() error { return e.errno }

// receive is recvmsg that goes on when a signal interrupts it.
func receive(fd int, data, control []byte, rights *[]int) (int, error) {
	for {
		n, oobn, _, _, err := unix.Recvmsg(fd, data, control, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err != nil || rights == nil || oobn == 0 {
			return n, err
		}
		messages, err := unix.ParseSocketControlMessage(control[:oobn])
		for i := range messages {
			fds, _ := unix.ParseUnixRights(&messages[i])
			*rights = append(*rights, fds...)
		}
		return n, err
	}
}

// notice is one message of the fork server: a process was made, or has ended.
type notice struct {
	ID     int64   `json:"id"`
	Exit   int64   `json:"exit"`
	Status int     `json:"status"`
	CPU    float64 `json:"cpu"`
}

// listen reads the fork server's messages until it is gone.
func (s *server) listen() {
	data, control := make([]byte, 4<<10), make([]byte, unix.CmsgSpace(4*4))
	for {
		var rights []int
		n, err := receive(s.control, data, control, &rights)
		if err != nil || n == 0 {
			break
		}
		var m notice
		if json.Unmarshal(data[:n], &m) != nil {
			break
		}
		if m.Exit != 0 {
			s.ended(m)
		} else if len(rights) == 1 {
			s.made(m.ID, rights[0])
		} else if s.spec.runsc != "" {
			s.made(m.ID, -1)
		}
	}
	s.cmd.Process.Kill()
	s.cmd.Wait()
	said := s.spec.lastWords()
	if said == "" {
		said = s.stderr.String()
	}
	s.fail(fmt.Errorf("the fork server ended: %s", said))
}

func (s *server) made(id int64, pidfd int) {
	s.mu.Lock()
	c, answer := s.children[id], s.waiting[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	if c == nil {
		closePidfd(pidfd)
		return
	}
	c.mu.Lock()
	if c.pidfd = pidfd; pidfd >= 0 {
		c.pid, _ = pidOf(pidfd)
	} else {
		c.stop = func() { s.ask(map[string]any{"kill": id}, nil) }
	}
	c.mu.Unlock()
	answer <- c
}

func (s *server) ended(m notice) {
	s.mu.Lock()
	c := s.children[m.Exit]
	delete(s.children, m.Exit)
	if c != nil && c.source != (sourceID{}) {
		s.departed = append(s.departed, c.source)
		s.departed = s.departed[max(0, len(s.departed)-poolSize):]
	}
	s.mu.Unlock()
	if c != nil {
		c.end(exit{status: m.Status, cpu: time.Duration(m.CPU * float64(time.Second))})
	}
}

// fail marks the server and everything that it made as gone, and removes what it left.
func (s *server) fail(why error) {
	s.mu.Lock()
	children := s.children
	s.children = map[int64]*child{}
	s.waiting = map[int64]chan *child{}
	s.why = why
	if !s.closed {
		s.tenants = sources(children, s.departed)
	}
	s.mu.Unlock()
	s.spec.ended(s.tenants, why)
	close(s.dead)
	for _, c := range children {
		c.awaitEnd()
		c.end(exit{lost: true})
	}
	s.filler.Wait()
	unix.Close(s.control)
	for len(s.pool) > 0 {
		(<-s.pool).conn.Close()
	}
	s.spec.removeScratch()
	s.leaveGroup()
	close(s.clean)
}

// sources returns those of some processes and others, each once.
func sources(children map[int64]*child, others []sourceID) []sourceID {
	set := map[sourceID]bool{}
	for _, id := range others {
		set[id] = true
	}
	for _, c := range children {
		set[c.source] = true
	}
	delete(set, sourceID{})
	return slices.Collect(maps.Keys(set))
}

// inside returns the sources that were in a jail that has ended by itself.
func (s *server) inside() []sourceID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tenants
}

// works reports whether the server still makes processes, in the places of those that have ended.
func (s *server) works() bool {
	for range poolSize {
		c, err := s.spawn()
		if err != nil {
			return false
		}
		defer c.discard()
	}
	return true
}

// close ends the server and everything that it made, and waits until they are gone.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.cmd.Process.Kill() // the first process of a pid namespace takes all others along
	<-s.clean
}

// acquire returns a process that is ready, for a source.
func (s *server) acquire(ctx context.Context, id sourceID) (*child, error) {
	s.mu.Lock()
	if !s.filling && s.why == nil {
		s.filling = true
		s.filler.Go(s.fill)
	}
	s.mu.Unlock()
	select {
	case c := <-s.pool:
		s.mu.Lock()
		c.source = id
		s.mu.Unlock()
		return c, nil
	case err := <-s.failures:
		return nil, err
	case <-s.dead:
		return nil, s.why
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// fill keeps the pool full until the server is gone: one process waits here beside those in the pool.
func (s *server) fill() {
	for {
		if len(s.pool) > cap(s.pool)/2 {
			s.pause()
		}
		c, err := s.spawn()
		if err != nil {
			select {
			case s.failures <- err:
				continue
			case <-s.dead:
				return
			}
		}
		select {
		case s.pool <- c:
		case <-s.dead:
			c.conn.Close()
			return
		}
	}
}

// refillPause is how long the pool waits before it replaces a process, while it has enough.
const refillPause = 20 * time.Millisecond

// pause leaves the processor to whoever has just taken a process and is loading it.
func (s *server) pause() {
	select {
	case <-time.After(refillPause):
	case <-s.dead:
	}
}

// spawn makes one process and waits until it is ready.
func (s *server) spawn() (*child, error) {
	ends, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("making a socket: %w", err)
	}
	unix.SetNonblock(ends[0], true)
	c := &child{conn: os.NewFile(uintptr(ends[0]), "process"), pidfd: -1, exited: make(chan struct{})}
	answer := make(chan *child, 1)
	s.mu.Lock()
	s.next++
	c.id = s.next
	s.children[c.id], s.waiting[c.id] = c, answer
	s.mu.Unlock()
	err = s.ask(map[string]any{"id": c.id}, unix.UnixRights(ends[1]))
	unix.Close(ends[1])
	if err == nil {
		select {
		case <-answer:
			err = s.awaitChild(c)
		case <-s.dead:
			err = s.why
		}
	}
	if err != nil {
		c.discard()
		return nil, fmt.Errorf("making a jailed process: %w", err)
	}
	return c, nil
}

// ask sends a request to the fork server.
func (s *server) ask(request map[string]any, rights []byte) error {
	return unix.Sendmsg(s.control, mustJSON(request), rights, nil, unix.MSG_NOSIGNAL)
}

func (s *server) awaitChild(c *child) error {
	c.conn.SetDeadline(time.Now().Add(spawnTimeout))
	data, err := readFrame(c.conn, make([]byte, frameBuffer), frameBuffer, nil)
	if err != nil {
		return err
	}
	var answer struct {
		Ready bool
		Fatal string
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return err
	}
	if !answer.Ready {
		return errors.New(answer.Fatal)
	}
	return nil
}

// tail keeps the end of what the first process of a jail says, for error messages.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if over := len(t.text) - 2<<10; over > 0 {
		t.text = t.text[over:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.text) == 0 {
		return "it said nothing"
	}
	return strings.TrimSpace(string(t.text))
}
