package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"spade"
)

func TestCases(t *testing.T) {
	dirs, err := filepath.Glob("testdata/*-corpus-*")
	if err != nil || len(dirs) == 0 {
		t.Fatal("no cases", err)
	}
	for _, dir := range dirs {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			var c struct {
				Input    string
				Expected struct {
					Documents    []string
					Skipped      int
					SkippedLines []int `json:"skipped_lines"`
				}
			}
			data, err := os.ReadFile(filepath.Join(dir, "expected.json"))
			if err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			got, err := Explain(filepath.Join(dir, c.Input))
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got.Documents, c.Expected.Documents) {
				t.Errorf("documents %q, want %q", got.Documents, c.Expected.Documents)
			}
			if got.Skipped != c.Expected.Skipped || len(got.SkippedLines) != got.Skipped {
				t.Errorf("skipped %d %v, want %d", got.Skipped, got.SkippedLines, c.Expected.Skipped)
			}
			if c.Expected.SkippedLines != nil && !reflect.DeepEqual(got.SkippedLines, c.Expected.SkippedLines) {
				t.Errorf("skipped lines %v, want %v", got.SkippedLines, c.Expected.SkippedLines)
			}
		})
	}
}

// write makes the named files below a new folder and returns it.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestRecords(t *testing.T) {
	dir := write(t, map[string]string{"a.jsonl": strings.Join([]string{
		`{"text": "loses", "orig_doc": "wins", "skill": "sum", "id": 12345678901234567890}`,
		`{"text": "kept", "orig_doc": 3}`,
		`{"Text": "keys have a case"}`,
		`{"text": "one"} {"text": "two"}`,
		"\ufeff" + `{"text": "mark in the middle of a joined file"}`,
		`{"text": "lone \ud800 half"}`,
	}, "\n")})
	c, err := Open(filepath.Join(dir, "a.jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range c.Len() {
		p, err := c.Passage(i)
		if err != nil {
			t.Fatal(err)
		}
		if p.ID != spade.ContentID(p.Text) || !utf8.ValidString(p.Text) {
			t.Errorf("passage %d: %+v", i, p)
		}
		got = append(got, p.Source+" "+p.Text)
	}
	want := []string{"a.jsonl:1 wins", "a.jsonl:2 kept", "a.jsonl:5 mark in the middle of a joined file", "a.jsonl:6 lone \ufffd half"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	p, _ := c.Passage(0)
	if p.Skill() != "sum" || fmt.Sprint(p.Meta["id"]) != "12345678901234567890" || len(p.Meta) != 2 {
		t.Errorf("meta %v", p.Meta)
	}
	if f := c.Files(); len(f) != 1 || f[0] != (File{Name: "a.jsonl", Passages: 4, Skipped: 2, FirstSkipped: 3}) {
		t.Errorf("files %+v", f)
	}
}

// TestHugeNumbers: metadata that is stored is read again, whatever numbers are in it.
func TestHugeNumbers(t *testing.T) {
	digits := strings.Repeat("9", 400)
	dir := write(t, map[string]string{"x.jsonl": `{"text": "sums", "answer": ` + digits + `, "all": [1, {"x": 1e400}], "id": 12345678901234567890}`})
	c, err := Open(filepath.Join(dir, "x.jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Passage(0)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(p.Meta)
	if err != nil {
		t.Fatal(err)
	}
	var again map[string]any
	if err := json.Unmarshal(data, &again); err != nil || again["answer"] != digits {
		t.Errorf("%v: %s", err, data)
	}
	if want := `{"all":[1,{"x":"1e400"}],"answer":"` + digits + `","id":12345678901234567890}`; string(data) != want {
		t.Errorf("got %s", data)
	}
}

func TestLongLine(t *testing.T) {
	long := strings.Repeat("word ", 1_000_000) + "end"
	dir := write(t, map[string]string{"a.jsonl": `{"text": "` + long + `"}` + "\n" + `{"text": "after"}`})
	r, err := Explain(filepath.Join(dir, "a.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Documents) != 2 || r.Documents[0] != long || r.Documents[1] != "after" {
		t.Errorf("%d documents", len(r.Documents))
	}
	c, err := Open(filepath.Join(dir, "a.jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Passage(0)
	if n := len(strings.Fields(p.Text)); err != nil || n != DefaultWords || strings.HasSuffix(p.Text, " ") {
		t.Errorf("%d words, %v", n, err)
	}
}

func TestLinesCutAtTheLimitOfABuffer(t *testing.T) {
	for _, n := range []int{1<<18 - 1, 1 << 18, 1<<18 + 1, 1 << 19} {
		text := strings.Repeat("x", n) + "\r\nlast"
		var got []string
		err := eachLine(strings.NewReader(text), func(l line) {
			got = append(got, fmt.Sprint(l.number, l.offset, len(l.text()), l.end()))
		})
		want := []string{fmt.Sprint(1, 0, n, n+1), fmt.Sprint(2, n+2, 4, n+6)}
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("n %d: %v, want %v (%v)", n, got, want, err)
		}
	}
}

func TestFolder(t *testing.T) {
	dir := write(t, map[string]string{
		"b.txt":         "from b",
		"a/z.MD":        "from z",
		"a/a.jsonl":     `{"text": "from a"}`,
		"empty.txt":     "\n\n",
		"none.jsonl":    "nothing here\n",
		"c.csv":         "not, read",
		".git/notes.md": "hidden",
		// A run in it, whose own events grow; only both files make one.
		"runs/one/config.yaml":  "seed: 1\n",
		"runs/one/spade.db":     "",
		"runs/one/events.jsonl": `{"text": "an event"}`,
		"notes/config.yaml":     "",
		"notes/of-config.jsonl": `{"text": "from notes"}`,
	})
	if err := os.Symlink(filepath.Join(dir, "b.txt"), filepath.Join(dir, "c.txt")); err != nil {
		t.Fatal(err)
	}
	c, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range c.Len() {
		p, err := c.Passage(i)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.Source+" "+p.Text)
	}
	want := []string{"a/a.jsonl:1 from a", "a/z.MD:1 from z", "b.txt:1 from b", "c.txt:1 from b", "notes/of-config.jsonl:1 from notes"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestUserErrors(t *testing.T) {
	dir := write(t, map[string]string{
		"blank.jsonl":     "\n\n",
		"bad.jsonl":       "{\n",
		"a.csv":           "x",
		"empty/sub/a.csv": "x",
		"gone.jsonl":      `{"text": "here"}`,
	})
	for name, want := range map[string]string{
		"missing.jsonl": "no such file",
		"blank.jsonl":   "no passage",
		"bad.jsonl":     "the first is bad.jsonl:1",
		"a.csv":         "unknown ending",
		"empty":         "no file of passages",
	} {
		_, err := Open(filepath.Join(dir, name), Options{})
		wantUserError(t, name, err, want)
		if err != nil && !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %q does not say where", name, err)
		}
	}
	c, err := Open(filepath.Join(dir, "gone.jsonl"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "gone.jsonl"), []byte(`{"text": "else"} `), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = c.Passage(0)
	wantUserError(t, "changed file", err, "has changed")
	_, err = Explain(filepath.Join(dir, "missing.jsonl"))
	wantUserError(t, "explain", err, "no such file")
}

func wantUserError(t *testing.T, what string, err error, text string) {
	t.Helper()
	var e *spade.Error
	if !errors.As(err, &e) || e.Boundary != spade.ByUser || e.Next == "" || !strings.Contains(err.Error(), text) {
		t.Errorf("%s: error %v, want the user's, with %q and a next step", what, err, text)
	}
}

// read returns the passages of one file.
func read(t testing.TB, name, text string) ([]string, []int) {
	t.Helper()
	c := &Corpus{fsys: fstest.MapFS{name: {Data: []byte(text)}}, words: -1}
	skipped, err := c.addFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for i := range c.Len() {
		p, err := c.Passage(i)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p.Text)
	}
	return out, skipped
}

func TestText(t *testing.T) {
	words := func(s string, n int) string { return strings.TrimSpace(strings.Repeat(s+" ", n)) }
	a, b, c := words("a", 250), words("b", 140), words("c", 20)
	long := words("l", 1000)
	for _, test := range []struct {
		name, file, text string
		want             []string
	}{
		{"joins to the limit", "x.txt", a + "\n\n" + b + "\n\n" + c, []string{a + "\n\n" + b, c}},
		{"lines and marks", "x.txt", "\ufeffone\r\ntwo\r\n\r\nthree\r\n \r\n", []string{"one\ntwo\n\nthree"}},
		{"cuts only a long paragraph", "x.txt", c + "\n\n" + long,
			[]string{c, words("l", 400), words("l", 400), words("l", 200)}},
		{"no headings in plain text", "x.txt", a + "\n\n# Sea\n" + c, []string{a + "\n\n# Sea\n" + c}},
		{"heading starts a passage", "x.md", b + "\n# Sea\n" + c, []string{b, "# Sea\n" + c}},
		{"heading waits for its text", "x.md", a + "\n\n# Sea\n\n## Tide\n\n" + b, []string{a, "# Sea\n\n## Tide\n\n" + b}},
		{"small sections join", "x.md", "# One\nx\n\n# Two\ny", []string{"# One\nx\n\n# Two\ny"}},
		{"heading over a long paragraph", "x.md", "# Sea\n\n" + long,
			[]string{"# Sea\n\n" + words("l", 400), words("l", 400), words("l", 200)}},
		{"ruled heading", "x.md", b + "\n\nSea\n===\n\n" + c, []string{b, "Sea\n===\n\n" + c}},
		{"last heading without text", "x.md", b + "\n\n# Sea\n", []string{b + "\n\n# Sea"}},
		{"fenced block", "x.md", b + "\n\n```\n# no heading\n\n# nor this\n```python\n```\n\n# Sea\n" + c,
			[]string{b + "\n\n```\n# no heading\n\n# nor this\n```python\n```", "# Sea\n" + c}},
		{"code inside a text", "x.md", "```pip x``` installs\n\n" + b + "\n\n# Sea\n" + a,
			[]string{"```pip x``` installs\n\n" + b, "# Sea\n" + a}},
		{"fence of tildes", "x.md", b + "\n\n~~~ a `b`\n# no heading\n~~~\n\n# Sea\n" + c,
			[]string{b + "\n\n~~~ a `b`\n# no heading\n~~~", "# Sea\n" + c}},
	} {
		if got, skipped := read(t, test.file, test.text); !reflect.DeepEqual(got, test.want) || skipped != nil {
			t.Errorf("%s: got %q %v\nwant %q", test.name, got, skipped, test.want)
		}
	}
	got, skipped := read(t, "x.txt", "one\nbad \xff\ntwo\n\n\xfe\n\nthree")
	if !reflect.DeepEqual(got, []string{"one\ntwo\n\n\nthree"}) || !reflect.DeepEqual(skipped, []int{2, 5}) {
		t.Errorf("invalid lines: %q %v", got, skipped)
	}
}

// FuzzText: no word of a valid text is lost, doubled or moved, and no passage exceeds its bound.
func FuzzText(f *testing.F) {
	f.Add("# A\n\ntext\n```\nx\n\n```\n## B\n", true, 3)
	f.Add(strings.Repeat("w ", 900), false, 1)
	f.Add("a\n-\n===\n~~~\n", true, 50)
	f.Fuzz(func(t *testing.T, text string, markdown bool, repeat int) {
		if !utf8.ValidString(text) || strings.Contains(text, "\ufeff") || len(text) > 10_000 {
			t.Skip("the property is one of short, valid texts without byte order marks")
		}
		text = strings.Repeat(text+"\n", min(max(repeat, 1), 50))
		name := "x.txt"
		if markdown {
			name = "x.md"
		}
		passages, _ := read(t, name, text)
		var words []string
		for _, p := range passages {
			w := strings.Fields(p)
			if len(w) == 0 || len(w) > 2*passageWords {
				t.Errorf("passage of %d words", len(w))
			}
			words = append(words, w...)
		}
		if want := strings.Fields(text); !reflect.DeepEqual(words, want) && len(want) > 0 {
			t.Errorf("words %q, want %q", words, want)
		}
	})
}

// FuzzJSONL: every line is a document, skipped, or blank, and documents are valid text.
func FuzzJSONL(f *testing.F) {
	f.Add([]byte("{\"text\": \"a\"}\r\n\n\xff\nnull"))
	f.Fuzz(func(t *testing.T, data []byte) {
		passages, skipped := read(t, "x.jsonl", string(data))
		lines := 0
		for l := range strings.SplitSeq(string(data), "\n") {
			if strings.TrimSpace(strings.TrimPrefix(l, "\ufeff")) != "" {
				lines++
			}
		}
		if len(passages)+len(skipped) != lines {
			t.Errorf("%d passages and %d skipped of %d lines", len(passages), len(skipped), lines)
		}
		for _, p := range passages {
			if strings.TrimSpace(p) == "" || !utf8.ValidString(p) {
				t.Errorf("passage %q", p)
			}
		}
	})
}

// TestID: the identity of a corpus follows the bytes of its files, not their times.
func TestID(t *testing.T) {
	dir := t.TempDir()
	id := func(files ...string) string {
		t.Helper()
		for i := 0; i < len(files); i += 2 {
			if err := os.WriteFile(filepath.Join(dir, files[i]), []byte(files[i+1]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		c, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		return c.ID()
	}
	first := id("a.txt", "one", "b.jsonl", "{\"text\": \"two\"}\n")
	if len(first) != 16 || id("a.txt", "one") != first {
		t.Errorf("the same files written again: %s", first)
	}
	seen := map[string]bool{first: true}
	for _, change := range [][]string{{"a.txt", "ones"}, {"b.jsonl", "{\"text\": \"two\", \"skill\": \"s\"}\n"}, {"c.md", "three"}} {
		if other := id(change...); seen[other] {
			t.Errorf("after %q the corpus is still %s", change, other)
		} else {
			seen[other] = true
		}
	}
}

// TestExplainFolder: a folder is explained as it is read, file by file.
func TestExplainFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.txt": "one\n\xff\n", "b.jsonl": "{}\n{\"text\": \"two\"}\n", "c.csv": "no"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Explain(dir)
	want := Report{Documents: []string{"one", "two"}, Skipped: 2, SkippedLines: []int{2, 1}, Files: []File{
		{Name: "a.txt", Passages: 1, Skipped: 1, FirstSkipped: 2}, {Name: "b.jsonl", Passages: 1, Skipped: 1, FirstSkipped: 1},
	}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestTruncate(t *testing.T) {
	for _, test := range []struct {
		text string
		n    int
		want string
	}{
		{"  a b\nc ", 2, "  a b"},
		{"  a b\nc ", 3, "  a b\nc "},
		{"äö\u00a0ü ß", 2, "äö\u00a0ü"},
		{"a b", -1, "a b"},
	} {
		if got := truncate(test.text, test.n); got != test.want {
			t.Errorf("truncate(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}
