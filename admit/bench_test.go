package admit

import (
	"testing"
)

// BenchmarkJudge measures admission in a warm sandbox: an environment of the size that the embedded model writes, and
// the examples of 100 to 400 lines.
func BenchmarkJudge(b *testing.B) {
	sources := map[string]string{"embedded": crane}
	for _, name := range []string{"signal_lab", "rotating_maze", "parcel_desk", "thermodynamics_lab", "car_ownership_dispute"} {
		sources[name] = readFile(b, "../examples", name+".py")
	}
	for _, name := range []string{"embedded", "signal_lab", "rotating_maze", "parcel_desk", "thermodynamics_lab", "car_ownership_dispute"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				result, err := New(jail, Default()).Judge(b.Context(), Candidate{Source: sources[name]}, nil)
				if err != nil || !result.Verdict.Admit {
					b.Fatalf("verdict %+v, error %v", result.Verdict, err)
				}
				closeProcess(result.Process)
			}
		})
	}
}
