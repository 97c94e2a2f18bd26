package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"time"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/bench"
	"spade/sandbox"
)

const (
	// A wave of the soak plays every environment this often in every place, and then forgets it.
	perPlace = 5
	// hostileShare is one episode of so many.
	hostileShare = 100
	// warmUp is the share of the episodes after which memory must not grow any more.
	warmUp = 0.2
)

// hostile are the first steps of environments that misbehave, each in another way.
var hostile = []string{
	"os._exit(3)",
	"while True: pass",
	"time.sleep(1000)",
	"os.write(3, b'{}')",
	"self.hoard = bytearray(1 << 30)",
	"print('x' * 100000); return '', float('nan'), False, False, {}",
	"open('/tmp/left', 'w').write('x' * 100000); raise ValueError",
	"os.abort()",
}

func hostileSource(n int) string {
	return "import os, time\nclass HostileEnv:\n    def reset(self, seed=None):\n        return '', {}\n" +
		"    def step(self, action):\n        " + hostile[n%len(hostile)] + "\n"
}

// Soak plays that many episodes in waves of packed environments, one in a hundred of them hostile, and says whether
// anything grows or stays behind.
func (b *Bench) Soak(ctx context.Context, count int) ([]bench.Figure, error) {
	files := openFiles()
	s, err := sandbox.Open(ctx, sandbox.Config{Limits: sandbox.Limits{CPU: time.Hour, Step: 300 * time.Millisecond}})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	k := soak{sandbox: s, progress: b.Progress}
	started := time.Now()
	if err := k.run(ctx, count); err != nil {
		return nil, err
	}
	seconds := time.Since(started).Seconds()
	for wait := time.Now(); s.InUse() > 0 && time.Since(wait) < 10*time.Second; {
		time.Sleep(10 * time.Millisecond)
	}
	left := s.InUse()
	s.Close()
	servers, _ := jailed()
	left += len(servers)
	// Other processes have jails of their own beside ours.
	behind, _ := filepath.Glob(filepath.Join(os.TempDir(), fmt.Sprintf("spade-jail-%d-*", os.Getpid())))
	b.add(
		bench.Figure{Name: "soak_episodes", Value: float64(k.played), Unit: "episodes", Holds: true},
		bench.Figure{Name: "soak_episodes_per_second", Value: float64(k.played) / seconds, Unit: "1/s", Holds: true},
		bench.Figure{Name: "soak_own_memory_growth", Value: k.last.own - k.warm.own, Unit: "MiB", Against: "after the warm-up", Ratio: k.last.own / k.warm.own}.AtMost(1.1, 0),
		bench.Figure{Name: "soak_server_memory_growth", Value: k.last.server - k.warm.server, Unit: "MiB", Against: "after the warm-up", Ratio: k.last.server / k.warm.server}.AtMost(1.1, 0),
		bench.Figure{Name: "soak_processes_left", Value: float64(left), Unit: "", Holds: left == 0, Target: "none"},
		bench.Figure{Name: "soak_files_left", Value: float64(openFiles() - files + len(behind)), Unit: "", Holds: openFiles() <= files && len(behind) == 0, Target: "none"},
	)
	return b.figures, nil
}

// openFiles returns how many descriptors this process has open.
func openFiles() int {
	entries, _ := os.ReadDir("/proc/self/fd")
	return len(entries)
}

// soak is one soak under way.
type soak struct {
	sandbox    *sandbox.Sandbox
	progress   func(string)
	played     int
	warm, last footprint
}

// footprint is the memory of this process and of the fork servers, in MiB.
type footprint struct{ own, server float64 }

func weigh() (footprint, error) {
	debug.FreeOSMemory()
	var f footprint
	var err error
	if f.own, err = memory(os.Getpid(), "status", "VmRSS"); err != nil {
		return f, err
	}
	servers, _ := jailed()
	for _, pid := range servers {
		mib, err := memory(pid, "status", "VmRSS")
		if err != nil {
			return f, err
		}
		f.server += mib
	}
	return f, nil
}

func (k *soak) run(ctx context.Context, count int) error {
	for wave, told := 0, 0; k.played < count; wave++ {
		if err := k.wave(ctx, wave); err != nil {
			return err
		}
		var err error
		if k.last, err = weigh(); err != nil {
			return err
		}
		if float64(k.played) <= max(warmUp*float64(count), 1) || wave == 0 {
			k.warm = k.last
		}
		if done := 20 * k.played / count; done > told {
			told = done
			k.progress(fmt.Sprintf("%d episodes; %.1f MiB, fork server %.1f MiB", k.played, k.last.own, k.last.server))
		}
	}
	return nil
}

// wave plays every environment in all its places, and the share of hostile ones beside them.
func (k *soak) wave(ctx context.Context, wave int) error {
	group, ctx := errgroup.WithContext(ctx)
	for n := range environments {
		group.Go(func() error { return k.environment(ctx, wave*environments+n) })
	}
	const bad = episodes * perPlace / hostileShare
	for n := range bad {
		group.Go(func() error { return k.hostile(ctx, wave*bad+n) })
	}
	k.played += episodes*perPlace + bad
	return group.Wait()
}

func (k *soak) environment(ctx context.Context, n int) error {
	program := k.sandbox.Program(game(n), true)
	defer program.Close()
	group, ctx := errgroup.WithContext(ctx)
	for range perEnvironment {
		group.Go(func() error {
			for range perPlace {
				i, fault, err := program.Instance(ctx, 0)
				if err := failure(fault, err); err != nil {
					return err
				}
				if _, err := playGame(ctx, i); err != nil {
					return err
				}
				i.Close()
			}
			return nil
		})
	}
	return group.Wait()
}

func (k *soak) hostile(ctx context.Context, n int) error {
	program := k.sandbox.Program(hostileSource(n), true)
	defer program.Close()
	i, fault, err := program.Instance(ctx, 0)
	if err := failure(fault, err); err != nil {
		return err
	}
	if _, fault, err = i.Reset(ctx, 1); failure(fault, err) != nil {
		return failure(fault, err)
	}
	if _, fault, err = i.Step(ctx, action); err != nil {
		return err
	}
	if fault == nil || fault.Outcome == spade.SandboxError {
		return fmt.Errorf("the hostile step %q ended with %v", hostile[n%len(hostile)], fault)
	}
	return nil
}
