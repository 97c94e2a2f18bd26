package diversity

import (
	"fmt"
	"math"
	"testing"
)

// BenchmarkVendi measures the estimate on sets for which the entropy of all eigenvalues is known: numpy's eigvalsh
// computed them from the whole matrix.
func BenchmarkVendi(b *testing.B) {
	for _, set := range []struct {
		n, bases, edits int
		entropy         float64
	}{
		{3000, 3000, 0, 5.929900127229383}, {3000, 300, 8, 5.825003113913553}, {3000, 40, 12, 5.256838488771043},
		{10000, 10000, 0, 6.143739397517395}, {10000, 1000, 8, 6.179959198679871},
	} {
		b.Run(fmt.Sprintf("n=%d,bases=%d", set.n, set.bases), func(b *testing.B) {
			items := assemble(b, set.n, set.bases, set.edits)
			for b.Loop() {
				b.ReportMetric(100*(Vendi(items)/math.Exp(set.entropy)-1), "%error")
			}
		})
	}
}
