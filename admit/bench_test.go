package admit

import (
	"strings"
	"testing"
)

// benchmarked are an environment of the size that the embedded model writes and the examples of 60 to 370 lines.
var benchmarked = []string{"embedded", "signal_lab", "rotating_maze", "parcel_desk", "thermodynamics_lab", "car_ownership_dispute"}

// BenchmarkJudge measures admission in a warm sandbox, as a whole and, as further metrics, the parts of the plain plan.
func BenchmarkJudge(b *testing.B) {
	for _, name := range benchmarked {
		b.Run(name, func(b *testing.B) {
			source := benchmarkSource(b, name)
			parts := make(map[string]float64)
			for b.Loop() {
				for _, cost := range benchmarkOnce(b, source).Costs {
					parts[cost.Part] += cost.Wall.Seconds() * 1000
				}
			}
			for part, ms := range parts {
				b.ReportMetric(ms/float64(b.N), metric(part))
			}
		})
	}
}

func benchmarkSource(t testing.TB, name string) string {
	if name == "embedded" {
		return crane
	}
	return readFile(t, "../examples", name+".py")
}

// benchmarkOnce judges source as if it had never been seen.
func benchmarkOnce(t testing.TB, source string) Result {
	result, err := New(jail, Default()).Judge(t.Context(), Candidate{Source: source}, nil)
	if err != nil || !result.Verdict.Admit {
		t.Fatalf("verdict %+v, error %v", result.Verdict, err)
	}
	closeProcess(result.Process)
	return result
}

// metric names a part as the benchmark tools accept it.
func metric(part string) string {
	return "ms-" + strings.ReplaceAll(part, " ", "-")
}
