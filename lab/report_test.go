package lab

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func someReport() Report {
	w := newWorld()
	w.add("spade", "", 2, good)
	w.add("fixed:96", "", 2, like(0.5))
	w.add("spade", "3M", 1, like(0.8))
	p := Plan{Arms: []string{"spade", "fixed:96"}, Sizes: []string{"", "3M"}, Seeds: 2, Cycles: 20, EvalEvery: 5}
	return NewReport(p, `spade lab --config "<x>"`, w.suite, w.runs)
}

func TestReport(t *testing.T) {
	r := someReport()
	if r.Settings.Finished != 5 || r.Settings.Planned != 8 || r.Settings.Episodes != 1000 || r.Settings.Environments != 200 {
		t.Errorf("settings %+v", r.Settings)
	}
	if len(r.Arms) != 3 || len(r.Claims) != 7 || len(r.Comparisons) != 1 {
		t.Fatalf("%d arms, %d claims, %d comparisons", len(r.Arms), len(r.Claims), len(r.Comparisons))
	}
	a := r.Arms[0]
	if a.Arm != "spade" || a.Size != "" || len(a.Seeds) != 2 || len(a.HeldOut) != 5 || len(a.Families) != 2 || len(a.Curves) != len(curves) {
		t.Errorf("arm %+v", a)
	}
	within(t, a.HeldOut[0].Mean, 0.2, 0.04, "before training")
	within(t, a.HeldOut[4].Mean, 0.7, 0.04, "after training")
	within(t, a.HeldOut[4].CPU, 41, 1e-9, "processor time")
	within(t, a.Late.Mean, a.HeldOut[4].Mean, 1e-9, "late")
	within(t, a.Cost.CPUPerCycle, 41.0/20, 1e-9, "processor time of a cycle")
	if a.Families[0].Family != "even" || a.Families[0].Episodes != 500 || a.Memory.Mechanics != 9 {
		t.Errorf("families %+v, memory %+v", a.Families, a.Memory)
	}
	for _, c := range a.Curves {
		last := c.Points[len(c.Points)-1]
		if len(c.Points) != 20 || last.Cycle != 20 || c.Points[0].Cycle != 1 {
			t.Errorf("%s: %+v", c.Name, c.Points)
		}
		if c.Name == "valid share of designs" && (last.Mean != 0.75 || last.Min != 0.75) {
			t.Errorf("%s: %+v", c.Name, last)
		}
	}
	c := r.Comparisons[0]
	within(t, c.EqualUpdates.Mean, 0.2, 0.04, "difference")
	if c.B != "fixed:96" || c.SeedsInCommon != 2 || c.EqualCPU == nil || c.CPURatio != 1 {
		t.Errorf("comparison %+v", c)
	}
}

// TestComparisons: every two arms that share a seed, once, and both ways in the matrix of the page.
func TestComparisons(t *testing.T) {
	w := newWorld()
	w.add("fixed:96", "", 4, like(0.5))
	w.add("spade", "", 4, good)
	w.add("ladder", "", 1, like(0.6))
	p := Plan{Arms: []string{"fixed:96", "spade", "ladder"}, Sizes: []string{""}, Seeds: 4, Fewer: map[string]int{"ladder": 1}, Cycles: 20, EvalEvery: 5}
	r := NewReport(p, "spade lab", w.suite, w.runs)
	var pairs []string
	for _, c := range r.Comparisons {
		pairs = append(pairs, fmt.Sprintf("%s-%s@%d", c.A, c.B, c.SeedsInCommon))
	}
	if want := []string{"spade-fixed:96@4", "spade-ladder@1", "fixed:96-ladder@1"}; !slices.Equal(pairs, want) {
		t.Errorf("%v, want %v", pairs, want)
	}
	if of := r.ofSpade(); len(of) != 2 {
		t.Errorf("%d comparisons of spade", len(of))
	}
	m := r.matrices()
	if len(m) != 1 || !slices.Equal(m[0].Arms, p.Arms) || m[0].Cells[1][1] != nil {
		t.Fatalf("matrices %+v", m)
	}
	there, back := m[0].Cells[1][0], m[0].Cells[0][1]
	if there.Mean != r.Comparisons[0].EqualUpdates.Mean || back.Mean != -there.Mean || back.Low != -there.High || back.High != -there.Low || !there.Decided() || !back.Decided() {
		t.Errorf("%+v and back %+v", there, back)
	}
	data, err := r.HTML()
	if err != nil || !strings.Contains(string(data), "Every arm against every other") || strings.Contains(string(data), "ZgotmplZ") {
		t.Errorf("the page has no matrix: %v", err)
	}
}

func TestReportJSON(t *testing.T) {
	r := someReport()
	data, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	var again Report
	if err := json.Unmarshal(data, &again); err != nil || !reflect.DeepEqual(again, r) {
		t.Errorf("%v: it does not come back as it was", err)
	}
	second, _ := someReport().JSON()
	if !bytes.Equal(data, second) {
		t.Error("equal runs give different reports")
	}
}

// TestPage: well-formed, self-contained, every arm in every chart and table.
func TestPage(t *testing.T) {
	r := someReport()
	data, err := r.HTML()
	if err != nil {
		t.Fatal(err)
	}
	tags := map[string]int{}
	for z := html.NewTokenizer(bytes.NewReader(data)); ; {
		kind := z.Next()
		if kind == html.ErrorToken {
			if z.Err() != io.EOF {
				t.Error(z.Err())
			}
			break
		}
		token := z.Token()
		if kind == html.StartTagToken || kind == html.SelfClosingTagToken {
			tags[token.Data]++
			for _, a := range token.Attr {
				if a.Key == "src" || a.Key == "href" {
					t.Errorf("the page needs %s", a.Val)
				}
			}
		}
	}
	if tags["svg"] != 2+len(curves) || tags["script"] != 0 || tags["details"] != 1+len(curves) {
		t.Errorf("tags %v", tags)
	}
	text := string(data)
	for _, want := range []string{"spade, 3M", "fixed:96", "not enough data", "prefers-color-scheme:dark", "&lt;x&gt;"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") || strings.Contains(text, "ZgotmplZ") {
		t.Error("the page holds something that is no number")
	}
	if strings.Contains(text, ">-0<") || strings.Contains(text, ">-0 %<") {
		t.Error("the page holds a negative zero")
	}
	nothing := NewReport(plan(1, "spade"), "spade lab", newWorld().suite, nil)
	if data, err := nothing.JSON(); err != nil || strings.Contains(string(data), "null") {
		t.Errorf("a list without elements is null: %v, %s", err, data)
	}
	empty, err := nothing.HTML()
	if err != nil || !strings.Contains(string(empty), "0 of 1 runs") {
		t.Errorf("a report without a run: %v", err)
	}
}

// TestCurvesByCycle: an arm without a number in some blocks leaves those cells empty, and shows the others under their cycles.
func TestCurvesByCycle(t *testing.T) {
	w := newWorld()
	w.add("spade", "", 1, good)
	w.add("fixed:96", "", 1, good)
	for i := range w.runs[1].Points[:9] {
		w.runs[1].Points[i].Horizon = 0
	}
	r := NewReport(Plan{Arms: []string{"spade", "fixed:96"}, Sizes: []string{""}, Seeds: 1, Cycles: 20, EvalEvery: 5}, "", w.suite, w.runs)
	for _, f := range r.curveFigures() {
		if f.Title != "horizon of what is played" {
			continue
		}
		if want := []int{4, 8, 12, 16, 20}; !slices.Equal(f.Columns, want) {
			t.Errorf("columns %v, want %v", f.Columns, want)
		}
		for column, known := range []bool{false, false, true, true, true} {
			cell := f.Rows[1].Cells[column]
			if cell.Known != known || known && cell != f.Rows[0].Cells[column] {
				t.Errorf("cycle %d: %+v beside %+v", f.Columns[column], cell, f.Rows[0].Cells[column])
			}
		}
	}
}

func TestText(t *testing.T) {
	text := someReport().Text()
	for _, want := range []string{"spade ", "fixed:96", "spade, 3M", "Claims:", "not enough data"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestScale(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      []float64
	}{{0, 1, []float64{0, 0.2, 0.4, 0.6, 0.8, 1}}, {0, 100, []float64{0, 20, 40, 60, 80, 100}}, {-0.1, 0.15, []float64{-0.1, -0.05, 0, 0.05, 0.1, 0.15}}} {
		got := scale{low: c.low, high: c.high, to: 1}.ticks(5)
		if len(got) != len(c.want) {
			t.Errorf("%g to %g: %v", c.low, c.high, got)
			continue
		}
		for i := range got {
			if math.Abs(got[i]-c.want[i]) > 1e-9 {
				t.Errorf("%g to %g: %v", c.low, c.high, got)
			}
		}
	}
	s := scale{low: 2, high: 4, from: 100, to: 0}
	if s.place(2) != 100 || s.place(3) != 50 || s.place(4) != 0 {
		t.Error("values are in the wrong place")
	}
}
