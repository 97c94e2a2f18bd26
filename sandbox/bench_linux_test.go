package sandbox

import (
	"context"
	"fmt"
	"testing"
	"time"
)

// BenchmarkStep is one step of a trivial environment: there and back.
func BenchmarkStep(b *testing.B) {
	i := instance(b, load(b, open(b, Config{Limits: Limits{CPU: time.Hour}}), trivial))
	i.Reset(b.Context(), 1)
	for b.Loop() {
		if _, fault, err := i.Step(b.Context(), `\boxed{1}`); fault != nil || err != nil {
			b.Fatal(fault, err)
		}
	}
}

// BenchmarkStepPacked steps 16 instances of one process at the same time.
func BenchmarkStepPacked(b *testing.B) {
	p := load(b, open(b, Config{Limits: Limits{CPU: time.Hour}}), trivial)
	b.SetParallelism(16)
	b.RunParallel(func(pb *testing.PB) {
		i, fault, err := p.New(context.Background(), 0)
		if fault != nil || err != nil {
			b.Error(fault, err)
			return
		}
		i.Reset(context.Background(), 1)
		for pb.Next() {
			if _, fault, err := i.Step(context.Background(), `\boxed{1}`); fault != nil || err != nil {
				b.Error(fault, err)
				return
			}
		}
	})
}

// BenchmarkLoad is a process from the pool, with its source loaded and its first episode started.
func BenchmarkLoad(b *testing.B) {
	s := open(b, Config{})
	load(b, s, trivial).Close()
	for n := 0; b.Loop(); n++ {
		if n%poolSize == 0 { // measure the pool, not its refilling
			b.StopTimer()
			server := s.servers[flavour{}].server
			for len(server.pool) < cap(server.pool) {
				time.Sleep(time.Millisecond)
			}
			b.StartTimer()
		}
		p := load(b, s, fmt.Sprintf("# %d\n%s", n, trivial))
		instance(b, p).Reset(b.Context(), 1)
		b.StopTimer()
		p.Close()
		b.StartTimer()
	}
}

// BenchmarkSpawn is the making of a process.
func BenchmarkSpawn(b *testing.B) {
	s := open(b, Config{})
	server, err := s.server(b.Context(), flavour{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		c, err := server.spawn()
		if err != nil {
			b.Fatal(err)
		}
		c.discard()
	}
}
