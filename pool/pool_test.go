package pool

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spade"
)

// entries are two environments: one with everything that there is to know, one with its code alone.
func entries() []Entry {
	return []Entry{{
		FileName: "first.py", Skill: "Causal inference", Code: "class AEnv:\n    name = \"ä\\n\"\n", Hint: "look <twice>", Class: "AEnv",
		Kind: "game", PassageID: "0123456789abcdef", Generation: 12, Slot: 3, Seeds: []int64{1 << 40, 7}, Returns: []Real{1, -0.5},
		HintedReturns: []Real{1}, Plays: 2, HintedPlays: 1, Mean: 0.25, HintedMean: 1, WinRate: 0.5, HintedWinRate: 1, Regret: 0.75,
		Verdict: "admit",
	}, {FileName: "second.py", Code: "class BEnv: pass"}}
}

// write makes a pool of the two entries in a new folder.
func write(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "pool")
	if err := Write(dir, entries()); err != nil {
		t.Fatal(err)
	}
	return dir
}

func read(t *testing.T, path string) Pool {
	t.Helper()
	p, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestRoundTrip reads what was written, in each of its layouts.
func TestRoundTrip(t *testing.T) {
	dir := write(t)
	want := entries()
	for i := range want {
		want[i].OriginalFileName = want[i].FileName
		want[i].measure()
	}
	want[0].GameID, want[0].FileName = "game_000000", "game_00000_003_causal_inference.py"
	want[1].GameID, want[1].FileName = "game_000001", "game_00001_000_environment.py"
	for _, test := range []struct {
		path     string
		layout   Layout
		verified int
	}{{dir, Manifest, 5}, {dir + "/environments.jsonl", JSONLines, 0}, {dir + "/environments.parquet", Parquet, 0}} {
		p := read(t, test.path)
		if p.Layout != test.layout || p.Verified != test.verified {
			t.Errorf("%s: layout %s, %d verified", test.path, p.Layout, p.Verified)
		}
		if !reflect.DeepEqual(p.Entries, want) {
			t.Errorf("%s: got\n%+v\nwant\n%+v", test.path, p.Entries, want)
		}
	}
	if want[0].LineCount != 2 || want[1].LineCount != 1 || want[0].ByteCount != 30 {
		t.Errorf("sizes %+v", want)
	}
	if _, err := os.Stat(dir + "/games/gen_0012/game_00000_003_causal_inference.py"); err != nil {
		t.Error(err)
	}
	env := want[0].Environment()
	if env.ID != want[0].ID() || env.Hint != "look <twice>" || env.Class != "AEnv" || env.Kind != spade.Game {
		t.Errorf("environment %+v", env)
	}
	lines, err := os.ReadFile(dir + "/environments.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(lines)) { // one schema: every key in every row, and whole numbers as reals
		for _, want := range []string{`"hint":"`, `"seeds":[`, `"r_no_hint":0.`, `"verdict":"`} {
			if !strings.Contains(line, want) {
				t.Errorf("no %s in %s", want, line)
			}
		}
	}
}

// What other writers give: pandas writes every column as one that may be null.
func TestPublicTables(t *testing.T) {
	for _, path := range []string{"testdata/pyarrow.parquet", "testdata/public.jsonl"} {
		p := read(t, path)
		if len(p.Entries) != 2 {
			t.Fatalf("%s: %d entries", path, len(p.Entries))
		}
		first, second := p.Entries[0], p.Entries[1]
		if first.GameID != "game_000000" || first.OriginalFileName != "game_0000_state_modification.py" ||
			first.Skill != "state_modification" || first.Code != "x = 1\ny = 2\n" || second.Skill != "" || second.Code != "z = 3" {
			t.Errorf("%s: %+v", path, p.Entries)
		}
	}
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"games/game_0007_state_modification.py": "a", "b.py": "b", "b.hint.txt": " think\n", "notes.jsonl": "{}", "README.md": "c",
	} {
		put(t, filepath.Join(dir, name), text)
	}
	p := read(t, dir)
	if p.Layout != Files || len(p.Entries) != 2 {
		t.Fatalf("%+v", p)
	}
	if e := p.Entries[0]; e.GameID != "b" || e.Hint != "think" || e.Skill != "" || e.Code != "b" {
		t.Errorf("%+v", e)
	}
	if e := p.Entries[1]; e.Skill != "state_modification" || e.Code != "a" {
		t.Errorf("%+v", e)
	}
	names, counts := p.Skills()
	if !reflect.DeepEqual(names, []string{"", "state_modification"}) || counts[""] != 1 {
		t.Errorf("skills %q, %v", names, counts)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestDamage: what is wrong is refused by the user's error, and the file is named.
func TestDamage(t *testing.T) {
	const game = "games/gen_0012/game_00000_003_causal_inference.py"
	tests := []struct {
		name, file, old, new, want string
	}{
		{"a changed environment", game, "AEnv", "ZEnv", game + " has the checksum"},
		{"a changed table", "environments.jsonl", "admit", "reject", "environments.jsonl has the checksum"},
		{"a checksum outside", checksumsName, "games/", "../games/", `is no checksum of a file in the pool`},
		{"a missing file", checksumsName, "environments.jsonl", "gone.jsonl", "gone.jsonl"},
	}
	for _, test := range tests {
		dir := write(t)
		edit(t, filepath.Join(dir, test.file), test.old, test.new)
		expectError(t, test.name, dir, test.want)
	}
	// Without checksums.sha256, what the manifest and the rows say of the code still counts.
	for _, test := range tests[:1] {
		dir := write(t)
		if err := os.Remove(filepath.Join(dir, checksumsName)); err != nil {
			t.Fatal(err)
		}
		edit(t, filepath.Join(dir, test.file), test.old, test.new)
		expectError(t, test.name+" and no list", dir, "game_00000_003_causal_inference.py has the checksum")
		edit(t, filepath.Join(dir, manifestName), game, "../../secret.py")
		expectError(t, "a path outside", dir, "is no file in the pool")
	}
}

func edit(t *testing.T, path, old, new string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), old) {
		t.Fatalf("%s does not hold %q: %v", path, old, err)
	}
	put(t, path, strings.Replace(string(data), old, new, 1))
}

func expectError(t *testing.T, name, path, want string) {
	t.Helper()
	_, err := Open(path)
	var boundary *spade.Error
	if !errors.As(err, &boundary) || boundary.Boundary != spade.ByUser || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", name, err, want)
	}
}

func TestNoPool(t *testing.T) {
	dir := t.TempDir()
	put(t, dir+"/text.txt", "text")
	put(t, dir+"/lines.jsonl", "{\"game_id\": \"a\"}\n")
	put(t, dir+"/broken.jsonl", "\n{")
	put(t, dir+"/broken.parquet", "PAR1")
	put(t, dir+"/empty/manifest.json", `{"games": []}`)
	for name, want := range map[string]string{
		"nowhere": "no such file", "text.txt": "no .parquet and no .jsonl", "lines.jsonl": "line 1: the column code is missing",
		"broken.jsonl": "broken.jsonl, line 2", "broken.parquet": "broken.parquet", "empty": "names no environment",
	} {
		expectError(t, name, filepath.Join(dir, name), want)
	}
}

func TestWriteRefuses(t *testing.T) {
	dir := write(t)
	if err := Write(dir, entries()); err == nil || !strings.Contains(err.Error(), "there are files in it") {
		t.Errorf("into a folder with files: %v", err)
	}
	err := Write(filepath.Join(t.TempDir(), "new"), []Entry{{FileName: "latin.py", Code: "# \xe4"}})
	if err == nil || !strings.Contains(err.Error(), "latin.py is no UTF-8 text") {
		t.Errorf("code in another encoding: %v", err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if err := Write(again, read(t, dir).Entries); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{manifestName, "environments.parquet", checksumsName} {
		first, _ := os.ReadFile(filepath.Join(dir, name))
		second, _ := os.ReadFile(filepath.Join(again, name))
		if len(first) == 0 || string(first) != string(second) {
			t.Errorf("%s is another when the pool is written again", name)
		}
	}
}

// TestTornPool: of a pool of which only the first files reached the disk, none reads as a smaller one.
func TestTornPool(t *testing.T) {
	files, err := layOut(entries())
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; n < len(files); n++ {
		dir := t.TempDir()
		for _, f := range files[:n] {
			put(t, filepath.Join(dir, filepath.FromSlash(f.name)), string(f.data))
		}
		if p, err := Open(dir); err == nil {
			t.Errorf("%d of %d files read as a pool of %d environments, %d files verified", n, len(files), len(p.Entries), p.Verified)
		}
	}
}

// TestKilledWrite: what a killed writer leaves is not read with the pools beside it, and makes way for the next writer.
func TestKilledWrite(t *testing.T) {
	root := t.TempDir()
	dir, half := filepath.Join(root, "pool"), filepath.Join(root, "pool"+unfinished)
	put(t, filepath.Join(root, "other.py"), "class OtherEnv: pass")
	put(t, filepath.Join(half, "games/gen_0000/game_00000_000_old.py"), "class OldEnv: pass")
	if p := read(t, root); len(p.Entries) != 1 || p.Entries[0].FileName != "other.py" {
		t.Errorf("beside half a pool there are %+v", p.Entries)
	}
	if err := Write(dir+"/", entries()); err != nil {
		t.Fatal(err)
	}
	if p := read(t, dir); len(p.Entries) != 2 || p.Verified != 5 {
		t.Errorf("%d entries, %d files verified", len(p.Entries), p.Verified)
	}
	left, err := os.ReadDir(root)
	if err != nil || len(left) != 2 {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestWriteWhere: an empty folder is filled where it is, since a shell may stand in it; in the place of a file nothing is
// written, and nothing is left beside it.
func TestWriteWhere(t *testing.T) {
	dir := t.TempDir()
	before, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, entries()); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(dir); err != nil || !os.SameFile(before, after) {
		t.Errorf("the empty folder is another one now: %v", err)
	}
	read(t, dir)
	root := t.TempDir()
	put(t, root+"/file", "kept")
	err = Write(root+"/file", entries())
	var boundary *spade.Error
	if !errors.As(err, &boundary) || boundary.Next != "name a folder that can be written, with room" {
		t.Errorf("over a file: %v", err)
	}
	left, err := os.ReadDir(root)
	if data, _ := os.ReadFile(root + "/file"); string(data) != "kept" || len(left) != 1 || err != nil {
		t.Errorf("over a file: it holds %q, left are %v, %v", data, left, err)
	}
}
