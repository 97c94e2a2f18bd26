package store

import (
	"bytes"
	"context"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/parquet-go/parquet-go"

	"spade"
)

// TestEpisodeFile reads back what was written, and holds the columns that are read outside of this program.
func TestEpisodeFile(t *testing.T) {
	want := sampleCycle(1, 6, 7, 13).Episodes
	data, err := encodeEpisodes(want)
	if err != nil {
		t.Fatal(err)
	}
	again, err := encodeEpisodes(sampleCycle(1, 6, 7, 13).Episodes)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("equal episodes gave other bytes, %v", err)
	}
	got, err := decodeEpisodes(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if f.Metadata().CreatedBy != "spade version 1(build )" {
		t.Errorf("created by %q", f.Metadata().CreatedBy)
	}
	var columns []string
	for _, path := range f.Schema().Columns() {
		columns = append(columns, path[len(path)-1])
		if len(path) > 3 {
			columns[len(columns)-1] = path[3]
		}
	}
	if expected := []string{"cycle", "slot", "env_id", "arm", "index", "seed", "hint", "return", "stop", "outcome", "failure", "final",
		"observation", "reply", "action", "reward", "terminated", "truncated", "tokens", "log_probs", "mask", "version"}; !reflect.DeepEqual(columns, expected) {
		t.Errorf("columns %v", columns)
	}
}

func TestEpisodeTextIsUTF8(t *testing.T) {
	data, err := encodeEpisodes([]spade.Episode{{Turns: []spade.Turn{{Reply: "a\xffb", Tokens: []int32{1}}}}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := decodeEpisodes(data)
	if err != nil || got[0].Turns[0].Reply != "a\uFFFDb" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestDamagedEpisodeFile(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	commitSample(t, r, 1)
	path := filepath.Join(dir, episodesDir, episodesName(1))
	whole := readText(t, path)
	for name, data := range map[string]string{"cut": whole[:len(whole)/2], "empty": "", "text": "no parquet at all, but some bytes"} {
		t.Run(name, func(t *testing.T) {
			if err := writeFiles(filepath.Dir(path), []file{{filepath.Base(path), []byte(data)}}); err != nil {
				t.Fatal(err)
			}
			_, err := r.Episodes(1)
			wantError(t, err, spade.ByStore, path)
		})
	}
}

// BenchmarkCommit commits cycles of 20 designs and about 300 episodes of 60 tokens. On a file system in memory
// it shows the cost beyond that of the disk.
func BenchmarkCommit(b *testing.B) {
	r := create(b, b.TempDir())
	for n := 1; b.Loop(); n++ {
		b.StopTimer()
		c := sampleCycle(n, 20, 21, 60)
		b.StartTimer()
		if err := r.Commit(context.Background(), c, saveNumber(n)); err != nil {
			b.Fatal(err)
		}
	}
}
