package sandbox

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"spade"
	"spade/sandbox/internal/unjailed"
	"spade/sandbox/python"
)

// A Sandbox runs environments. It is safe for concurrent use.
type Sandbox struct {
	config      Config
	interpreter *python.Interpreter
	status      Status
	namespaces  bool
	// runsc is the program of gVisor if everything runs in it.
	runsc string
	// unjailed is set by the benchmark that compares the jail with none.
	unjailed bool
	// life ends when the sandbox is closed.
	life context.Context
	end  context.CancelFunc
	// slots holds one token per process in use.
	slots chan struct{}
	turns *turns
	// batch is how many operations an exchange carries at most, held what long answers under way may take together.
	batch    int
	held     *semaphore.Weighted
	suspects suspects
	// closing are the jails of suspects that are being closed, and the download of packages.
	closing sync.WaitGroup
	// packages makes the folder of the packages that environments may import, "" if they cannot be had.
	packages func(context.Context) string

	mu      sync.Mutex
	closed  bool
	started int
	servers map[flavour]*serverSlot
	// preparing is the download of the packages that is under way, nil if there is none; lack is why the last one failed.
	preparing *preparation
	lack      string
}

// A flavour is one kind of fork server.
type flavour struct {
	// heavy servers have the packages, and numpy loaded.
	heavy bool
	// alternate servers hash strings differently.
	alternate bool
	// owner is the only source that may be in it, if it is a suspect's.
	owner sourceID
}

// serverSlot holds the server of one flavour.
type serverSlot struct {
	// token is in the channel while the server starts or ends, which takes so long that others wait with a context.
	token  chan struct{}
	server *server
	deaths []time.Time
	// users is how many processes are in its jail or wanted there; the sandbox's mu guards it.
	users int
}

// Open finds Python, builds a jail to see that it works, and returns a sandbox. If the machine lacks a layer of
// the jail, the error is a [*spade.Error] by the machine that names the layer and says how to get it, unless
// config accepts a degraded jail. ctx bounds the opening only.
func Open(ctx context.Context, config Config) (*Sandbox, error) {
	config = config.withDefaults()
	layers := machineLayers()
	if layer := missing(layers, required); layer != nil {
		return nil, layer.error()
	}
	interpreter, err := python.Find(ctx, config.Python)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{
		config:      config,
		interpreter: interpreter,
		namespaces:  !config.noNamespaces && !config.Gvisor,
		unjailed:    unjailed.Asked(ctx),
		slots:       make(chan struct{}, config.MaxProcesses),
		turns:       newTurns(runtime.GOMAXPROCS(0)),
		batch:       config.Limits.batch(),
		held:        semaphore.NewWeighted(heldLimit),
		servers:     map[flavour]*serverSlot{},
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.packages = s.preparePackages
	removeStaleScratch()
	if err := s.openJail(ctx, layers); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openJail starts the light fork server, with namespaces if that can be and without if that is accepted.
func (s *Sandbox) openJail(ctx context.Context, layers []Layer) error {
	var refused *layerError
	if s.config.Gvisor {
		return s.openGvisor(ctx, layers)
	}
	if s.unjailed {
		s.namespaces = false
		_, err := s.server(ctx, flavour{})
		s.status = Status{Tier: None, Layers: layers}
		return err
	}
	if s.namespaces {
		_, err := s.server(ctx, flavour{})
		if err == nil {
			s.status = s.describe(Full, layers, nil)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !errors.As(err, &refused) {
			return spade.Errorf(spade.ByMachine, "Put another Python first on PATH, as python3.",
				"starting Python in a jail: %w", err)
		}
	} else {
		refused = &layerError{layer: layerUser, err: errors.New("switched off")}
	}
	if !s.config.Degraded {
		return namespaceError(refused)
	}
	if layer := missing(layers, requiredDegraded); layer != nil {
		return layer.error()
	}
	s.namespaces = false
	if _, err := s.server(ctx, flavour{}); err != nil {
		return spade.Errorf(spade.ByMachine, "Run as an ordinary user, or put another Python first on PATH, as python3.",
			"starting a degraded jail: %w", err)
	}
	s.status = s.describe(Degraded, layers, refused)
	return nil
}

// Close ends every process of the sandbox and waits until they are gone.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	s.closed = true
	slots := maps.Clone(s.servers)
	s.mu.Unlock()
	s.end()
	for _, slot := range slots {
		slot.lock(context.Background())
		if slot.server != nil {
			slot.server.close()
		}
		slot.unlock()
	}
	s.closing.Wait()
	return nil
}

// InUse returns how many jailed processes are in use. One counts until nothing is left of it.
func (s *Sandbox) InUse() int { return len(s.slots) }

// Status says what protects this machine from environments.
func (s *Sandbox) Status() Status { return s.status }

var errClosed = errors.New("the sandbox is closed")

// A fork server that died is replaced, but one that keeps dying while no environment is in its jail is a fault that hides
// behind retries.
const (
	deathsAllowed = 3
	deathWindow   = time.Minute
)

// server returns the running fork server of a flavour, starting it if need be. Ending ctx ends the wait for it.
func (s *Sandbox) server(ctx context.Context, f flavour) (*server, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, errClosed
	}
	slot := s.slot(f)
	s.mu.Unlock()

	if err := slot.lock(ctx); err != nil {
		return nil, err
	}
	defer slot.unlock()
	if slot.server != nil {
		select {
		case <-slot.server.dead:
			if err := slot.died(); err != nil {
				return nil, err
			}
		default:
			return slot.server, nil
		}
	}
	var err error
	slot.server, err = s.start(ctx, f)
	return slot.server, err
}

// start starts a fork server of a flavour.
func (s *Sandbox) start(ctx context.Context, f flavour) (*server, error) {
	packages := ""
	if f.heavy {
		var err error
		if packages, err = s.awaitPackages(ctx); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	s.started++
	index, closed := s.started, s.closed
	s.mu.Unlock()
	if closed {
		return nil, errClosed
	}
	spec, err := s.spec(f, index, packages)
	if err != nil {
		spec.removeScratch()
		return nil, err
	}
	spec.ended = func(inside []sourceID, why error) { s.jailEnded(inside, f.owner, why) }
	started, err := startServer(ctx, spec)
	if err != nil {
		spec.removeScratch()
	}
	return started, err
}

// slot returns the place of the server of a flavour. The caller holds mu.
func (s *Sandbox) slot(f flavour) *serverSlot {
	slot := s.servers[f]
	if slot == nil {
		slot = &serverSlot{token: make(chan struct{}, 1)}
		s.servers[f] = slot
	}
	return slot
}

// lock waits until nobody else starts or ends the server.
func (slot *serverSlot) lock(ctx context.Context) error {
	if err := ctx.Err(); err != nil { // a free slot would be as good a choice below
		return err
	}
	select {
	case slot.token <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (slot *serverSlot) unlock() { <-slot.token }

func (slot *serverSlot) died() error {
	why, inside := slot.server.why, len(slot.server.inside())
	slot.server = nil
	if inside > 0 {
		return nil // it is known who may have done it
	}
	now := time.Now()
	slot.deaths = slices.DeleteFunc(append(slot.deaths, now), func(t time.Time) bool { return now.Sub(t) > deathWindow })
	if len(slot.deaths) > deathsAllowed {
		return fmt.Errorf("the fork server died %d times within %v: %w", len(slot.deaths), deathWindow, why)
	}
	return nil
}
