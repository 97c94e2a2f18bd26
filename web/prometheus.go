package web

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"spade"
)

// ownMetrics are those that no cycle gives, with what they are.
var ownMetrics = map[string]string{
	"spade_cycle":        "number of the last committed cycle",
	"spade_environments": "environments that have entered so far",
	"spade_running":      "1 while a process writes the run",
}

// metrics answers Prometheus with the numbers of the last cycle of each run that this server was started with, under the
// names of events.jsonl with what Prometheus does not allow in a name as _.
func (s *Server) metrics(w http.ResponseWriter, r *http.Request) {
	samples, help := map[string][]string{}, maps.Clone(ownMetrics)
	add := func(metric, run string, value float64) {
		samples[metric] = append(samples[metric], fmt.Sprintf("%s{run=%s} %g", metric, quoted(run), value))
	}
	for _, named := range s.options.Runs {
		v, err := s.served(named.Name)
		if err == nil {
			err = v.index.refresh()
		}
		if err != nil {
			fail(w, err)
			return
		}
		v.index.mu.Lock()
		if n := len(v.index.cycles); n > 0 {
			last := &v.index.cycles[n-1]
			add("spade_cycle", v.name, float64(last.number))
			for name, value := range last.metrics {
				add(metricName(name), v.name, value)
				if m, known := spade.MetricNamed(name); known {
					help[metricName(name)] = m.Help
				}
			}
		}
		add("spade_environments", v.name, float64(len(v.index.envs)))
		v.index.mu.Unlock()
		add("spade_running", v.name, truth(v.run.Writing()))
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	for _, metric := range slices.Sorted(maps.Keys(samples)) {
		fmt.Fprintf(w, "# HELP %s %s\n# TYPE %s gauge\n%s\n", metric, escaped(help[metric]), metric, strings.Join(samples[metric], "\n"))
	}
}

// metricName is "spade_env_avg_regret" for "env/avg_regret".
func metricName(name string) string {
	return "spade_" + strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, name)
}

// quoted is a label's value as the text format wants it.
func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, "\n", `\n`, `"`, `\"`).Replace(text) + `"`
}

// escaped is a help text as the text format wants it.
func escaped(text string) string { return strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(text) }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
