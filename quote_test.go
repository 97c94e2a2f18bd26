package spade

import "testing"

func TestQuote(t *testing.T) {
	for path, want := range map[string]string{
		"runs/spade-seed1": "runs/spade-seed1", "/tmp/a_b+c": "/tmp/a_b+c", "läufe/первый": "läufe/первый",
		"my run": "'my run'", "it's": `'it'\''s'`, "": "''", "a;rm": "'a;rm'", "~x": "'~x'", "$HOME": "'$HOME'",
	} {
		if got := Quote(path); got != want {
			t.Errorf("Quote(%q) = %s, want %s", path, got, want)
		}
	}
}
