package diversity

import (
	"math"
	"syscall"
	"testing"
)

// BenchmarkVendi measures the estimate on sets for which the entropy of all eigenvalues is known: numpy's eigvalsh
// computed them from the whole matrix. At 10000 the errors were 0.08 % on different environments, 0.07 % on
// those from 1000 drafts, 0.01 % on generated ones and 0.13 % on the set of both halves, in 7 to 8 s of processor time.
func BenchmarkVendi(b *testing.B) {
	assembled := func(n, bases, edits int) []Item { return assemble(b, n, bases, edits) }
	for _, set := range []struct {
		name    string
		items   func() []Item
		entropy float64
	}{
		{"3000 different", func() []Item { return assembled(3000, 3000, 0) }, 5.929900127229383},
		{"3000 from 300", func() []Item { return assembled(3000, 300, 8) }, 5.825003113913553},
		{"3000 from 40", func() []Item { return assembled(3000, 40, 12) }, 5.256838488771043},
		{"10000 different", func() []Item { return assembled(10000, 10000, 0) }, 6.143739397517395},
		{"10000 from 1000", func() []Item { return assembled(10000, 1000, 8) }, 6.179959198679871},
		{"10000 generated", func() []Item { return generated(10000) }, 2.6486889079645164},
		{"10000 half generated", func() []Item { return append(generated(5000), assembled(10000, 1000, 8)[:5000]...) }, 4.952605976606968},
	} {
		b.Run(set.name, func(b *testing.B) {
			items, before := set.items(), processorSeconds()
			for b.Loop() {
				b.ReportMetric(100*(Vendi(items)/math.Exp(set.entropy)-1), "%error")
			}
			b.ReportMetric((processorSeconds()-before)/float64(b.N), "cpu-s")
		})
	}
}

// processorSeconds is what this process has used up.
func processorSeconds() float64 {
	var used syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &used) != nil {
		return 0
	}
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e9
}
