package web

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// TestReportStandsAlone: a report names nothing that a browser would fetch, forbids what it does not hold, and holds the
// run's own numbers.
func TestReportStandsAlone(t *testing.T) {
	run := newFakeRun()
	var b bytes.Buffer
	if err := Report(&b, "a", run, func(sources []string) [][2]float64 { return make([][2]float64, len(sources)) }); err != nil {
		t.Fatal(err)
	}
	root, err := html.Parse(&b)
	if err != nil {
		t.Fatal(err)
	}
	var policy, data string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		attributes := map[string]string{}
		for _, a := range n.Attr {
			attributes[a.Key] = a.Val
		}
		for _, fetching := range []string{"src", "srcset", "href", "data", "action", "formaction", "poster", "ping", "background", "manifest", "style"} {
			if value, has := attributes[fetching]; has {
				t.Errorf("<%s> has %s=%q", n.Data, fetching, value)
			}
		}
		switch n.Data {
		case "link", "base", "iframe", "object", "embed", "img", "image", "form":
			t.Errorf("there is a <%s>", n.Data)
		case "meta":
			if attributes["http-equiv"] == "Content-Security-Policy" {
				policy = attributes["content"]
			} else if attributes["http-equiv"] != "" {
				t.Errorf("there is a meta element %v", attributes)
			}
		case "style":
			standsAlone(t, "style", n.FirstChild.Data, regexp.MustCompile(`(?i)@import|url\(|image-set\(|https?:`))
		case "script":
			if attributes["id"] == "report" {
				data = n.FirstChild.Data
				continue
			}
			// Addresses in the script are the name of a markup language and pages that explain errors to developers.
			code := regexp.MustCompile(`http://www\.w3\.org/1999/xhtml|https://svelte\.dev/e/\w+`).ReplaceAllString(n.FirstChild.Data, "")
			standsAlone(t, "script", code, regexp.MustCompile(`https?://|(^|[;}\n])import[ {*"']|\bimport\(["'`+"`]|importScripts|sendBeacon|WebSocket"))
		}
	}
	for _, directive := range strings.Split(policy, "; ") {
		name, values, _ := strings.Cut(directive, " ")
		if !slices.Contains([]string{"default-src", "base-uri", "form-action", "script-src", "style-src"}, name) || !regexp.MustCompile(`^'(none|sha256-[A-Za-z0-9+/=]+)'$`).MatchString(values) {
			t.Errorf("the policy allows %q", directive)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; ") {
		t.Errorf("the policy is %q", policy)
	}
	reportsTheRun(t, data, run)
}

func standsAlone(t *testing.T, what, text string, fetching *regexp.Regexp) {
	t.Helper()
	if at := fetching.FindStringIndex(text); at != nil {
		t.Errorf("the %s asks for something: …%s…", what, text[max(0, at[0]-40):min(len(text), at[1]+40)])
	}
}

// reportsTheRun compares the curves that a report holds with those of the run.
func reportsTheRun(t *testing.T, data string, run Run) {
	t.Helper()
	var answers map[string]json.RawMessage
	if err := json.Unmarshal([]byte(data), &answers); err != nil {
		t.Fatal(err)
	}
	var curves struct {
		Cycle   []int     `json:"cycle"`
		WinRate []float64 `json:"win_rate"`
	}
	if err := json.Unmarshal(answers["runs/a/cycles"], &curves); err != nil {
		t.Fatal(err)
	}
	cycles, err := run.Digest(-1)
	if err != nil {
		t.Fatal(err)
	}
	if len(curves.Cycle) != len(cycles) || len(cycles) == 0 {
		t.Fatalf("the report has cycles %v, the run has %d", curves.Cycle, len(cycles))
	}
	for i, c := range cycles {
		if curves.Cycle[i] != c.Number || curves.WinRate[i] != c.Stats.WinRate {
			t.Errorf("cycle %d: a win rate of %v, not %v", c.Number, curves.WinRate[i], c.Stats.WinRate)
		}
	}
}
