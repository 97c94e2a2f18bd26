package web

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"io/fs"
	"slices"
	"strings"

	"spade"
)

// What a report holds in full; lists and charts are whole.
const (
	reportedEnvironments = 48
	reportedPairs        = 2
	reportedRefusals     = 100
)

// Report writes a run as one page that needs nothing else: the dashboard's own pages with the answers that they show in
// it. All lists, charts and the map are whole; sources and episodes are those of the most teachable environments, and
// designs those that were refused last. It is played nowhere and asks no network.
func Report(w io.Writer, name string, run Run, project func(sources []string) [][2]float64) error {
	s := New(Options{Runs: []Named{{name, func() (Run, error) { return run, nil }}}})
	v, err := s.served(name)
	if err != nil {
		return err
	}
	if err := v.index.refresh(); err != nil {
		return err
	}
	v.chart.project = project
	v.chart.lay(v.index, v.index.version, slices.Clone(v.index.envs))
	v.index.readNames()
	answers, err := s.reported(v)
	if err != nil {
		return err
	}
	data, err := json.Marshal(answers) // escapes < and >, so that no text ends the element that holds it
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return page(w, name, data)
}

// reported are the answers of a report by their paths below /api/v1.
func (s *Server) reported(v *served) (map[string]any, error) {
	at := "runs/" + v.name
	environments, err := v.index.environmentsJSON()
	if err != nil {
		return nil, err
	}
	answers := map[string]any{
		at + "/environments": json.RawMessage(environments), at + "/map": v.chart.answer(v.index), at + "/passages": v.index.corpusTable(), at + "/jail": v.index.jail(),
	}
	about, err := v.run.About()
	if err != nil {
		return nil, err
	}
	answers[at+"/cycles"] = v.index.cyclesAfter(-1, about.PlateauWeight)
	for path, do := range map[string]func() (any, error){
		"runs": func() (any, error) { return s.runs(nil) }, at: func() (any, error) { return s.overview(v, nil) }, at + "/memory": func() (any, error) { return memoryOf(v, nil) },
	} {
		if answers[path], err = do(); err != nil {
			return nil, err
		}
	}
	for _, id := range v.index.worthReading(reportedEnvironments) {
		e, err := v.environment(id)
		if err != nil {
			return nil, err
		}
		answers[at+"/environments/"+id] = e
		if err := v.reportPairs(answers, at, e); err != nil {
			return nil, err
		}
	}
	for _, d := range v.index.lastRefused(reportedRefusals) {
		design, err := v.run.Design(d.cycle, d.slot)
		if err != nil {
			return nil, err
		}
		answers[fmt.Sprintf("%s/designs/%d/%d", at, d.cycle, d.slot)] = newDesignAnswer(d.cycle, &design)
	}
	return answers, nil
}

// reportPairs adds the first pairs of episodes of an environment's last measurement.
func (v *served) reportPairs(answers map[string]any, at string, e *environmentAnswer) error {
	if len(e.Plays) == 0 {
		return nil
	}
	id, cycle := e.Environment.ID, e.Plays[len(e.Plays)-1].Cycle
	for index := range reportedPairs {
		if !slices.ContainsFunc(e.Plays, func(p Play) bool { return p.Cycle == cycle && p.Index == index }) {
			continue
		}
		pair, err := v.pair(cycle, id, index, false)
		if err != nil {
			return err
		}
		answers[fmt.Sprintf("%s/episodes/%d/%s/%d", at, cycle, id, index)] = pair
	}
	return nil
}

// worthReading are at most n environments: those that separate the arms most, then the newest.
func (x *index) worthReading(n int) []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	sorted := slices.Clone(x.envs)
	regret := func(e *envRow) float64 {
		if s := e.score(); s != nil && s.WinRate >= 0.15 && s.WinRate <= 0.85 {
			return s.Regret
		}
		return -2
	}
	slices.SortStableFunc(sorted, func(a, b *envRow) int {
		switch {
		case regret(a) != regret(b):
			if regret(a) > regret(b) {
				return -1
			}
			return 1
		}
		return b.number - a.number
	})
	var ids []string
	for _, e := range sorted[:min(n, len(sorted))] {
		ids = append(ids, e.env.ID)
	}
	return ids
}

// lastRefused are at most n refused designs, the newest first.
func (x *index) lastRefused(n int) []designRow {
	x.mu.Lock()
	defer x.mu.Unlock()
	var list []designRow
	for i := len(x.designs) - 1; i >= 0 && len(list) < n; i-- {
		if d := x.designs[i]; !d.admit || d.hintRefused != "" {
			list = append(list, d)
		}
	}
	return list
}

// page writes the front end with its data into one document, under a policy that lets exactly its own script and styles
// run.
func page(w io.Writer, name string, data []byte) error {
	script, err := fs.ReadFile(built(), "app.js")
	if err != nil {
		return fmt.Errorf("read the front end: %w", err)
	}
	styles, err := fs.ReadFile(built(), "app.css")
	if err != nil {
		return fmt.Errorf("read the front end: %w", err)
	}
	code := strings.ReplaceAll(string(script), "</script", `<\/script`)
	_, err = fmt.Fprintf(w, `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src '%s'; style-src '%s'; base-uri 'none'; form-action 'none'">
<title>%s · spade</title>
<style>%s</style>
</head>
<body>
<noscript>This report needs JavaScript. In the terminal, spade show says the same in words.</noscript>
<div id="app"></div>
<script type="application/json" id="report">%s</script>
<script type="module">%s</script>
</body>
</html>
`, hashOf(code), hashOf(string(styles)), html.EscapeString(name), styles, data, code)
	if err != nil {
		return spade.Errorf(spade.ByMachine, "choose another file, or free space", "write the report: %w", err)
	}
	return nil
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
