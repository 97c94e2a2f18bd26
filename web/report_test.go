package web

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestReport checks that a report is whole, and that nothing that a model wrote is part of its markup.
func TestReport(t *testing.T) {
	run := newFakeRun()
	var b bytes.Buffer
	if err := Report(&b, `a<b>"run`, run, func(sources []string) [][2]float64 { return make([][2]float64, len(sources)) }); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	if strings.Contains(text, hostile) || strings.Contains(text, "<img") {
		t.Error("what a model wrote is markup")
	}
	if n := strings.Count(text, "</script>"); n != 2 {
		t.Errorf("%d scripts end, 2 begin", n)
	}
	if strings.Contains(text, `a<b>"run`) {
		t.Error("the name of the run is markup")
	}
	for _, part := range []string{`"runs/a`, "/environments/" + run.env(0).ID, "/episodes/2/" + run.env(0).ID + "/0", "/designs/1/1"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing", part)
		}
	}
	script := regexp.MustCompile(`(?s)<script type="module">(.*)</script>`).FindStringSubmatch(text)[1]
	styles := regexp.MustCompile(`(?s)<style>(.*?)</style>`).FindStringSubmatch(text)[1]
	for _, part := range []string{script, styles} {
		if !strings.Contains(text, hashOf(part)) {
			t.Error("the policy does not name a part of the page by its hash")
		}
	}
}
