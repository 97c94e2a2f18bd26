package store

import (
	"reflect"
	"testing"

	"spade"
)

// TestDigest holds the digest against the whole cycles: it is them without what is long.
func TestDigest(t *testing.T) {
	dir := t.TempDir()
	r := create(t, dir)
	for n := range 4 {
		commitSample(t, r, n)
	}
	got, err := r.Digest(0)
	if err != nil || len(got) != 3 {
		t.Fatalf("%d cycles, %v", len(got), err)
	}
	for i := range got {
		want, err := r.Cycle(i + 1)
		if err != nil {
			t.Fatal(err)
		}
		want.State, want.Episodes = nil, nil
		for k := range want.Passages {
			want.Passages[k].Text = ""
		}
		for k := range want.Environments {
			want.Environments[k].Source = ""
		}
		for k := range want.Designs {
			d := &want.Designs[k]
			d.Prompt, d.Reply, d.Trajectory, d.First, d.Repairs = nil, "", spade.Trajectory{}, spade.Verdict{}, nil
		}
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("cycle %d:\n%+v\nwant\n%+v", i+1, got[i], want)
		}
	}
	if rest, err := r.Digest(3); err != nil || rest != nil {
		t.Errorf("after the last cycle: %v, %v", rest, err)
	}
}

// TestDigestKeepsFaults checks that broken episodes are in it.
func TestDigestKeepsFaults(t *testing.T) {
	r := create(t, t.TempDir())
	c := sampleCycle(1, 2, 2, 4)
	c.Episodes[0].Stop, c.Episodes[0].Outcome = spade.StopEnvironment, spade.WallTimeout
	if err := r.Commit(t.Context(), c, nil); err != nil {
		t.Fatal(err)
	}
	got, err := r.Digest(-1)
	if err != nil || len(got) != 1 || len(got[0].Episodes) != 1 || got[0].Episodes[0].Outcome != spade.WallTimeout {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestSingleReads holds what is read one by one against the whole cycle.
func TestSingleReads(t *testing.T) {
	r := create(t, t.TempDir())
	commitSample(t, r, 1)
	c, err := r.Cycle(1)
	if err != nil {
		t.Fatal(err)
	}
	d, err := r.Design(1, 2)
	if err != nil || !reflect.DeepEqual(d, c.Designs[2]) {
		t.Errorf("the design %+v, %v", d, err)
	}
	_, err = r.Design(1, 99)
	wantError(t, err, spade.ByUser, "no design")
	id := c.Environments[1].ID
	turns, returned, pairs := 0, map[int][]spade.Episode{}, 0
	for _, e := range c.Episodes {
		if e.EnvID != id {
			continue
		}
		returned[e.Index] = append(returned[e.Index], e)
		if e.Arm == spade.Unhinted {
			turns += len(e.Turns)
			pairs++
		}
	}
	for index, want := range returned {
		if got, err := r.Paired(1, id, index); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("episodes of index %d: %+v, %v; want %+v", index, got, err, want)
		}
	}
	if got, err := r.Paired(1, id, 1000); got != nil || err != nil {
		t.Errorf("an index that was not played: %v, %v", got, err)
	}
	means, err := r.Turns(0)
	if want := float64(turns) / float64(pairs); err != nil || means[id] != want {
		t.Errorf("%v turns, want %v, %v", means[id], want, err)
	}
	plays, err := r.Plays(id)
	if err != nil || len(plays) == 0 || plays[0].Cycle != 1 || plays[0].Arm != spade.Unhinted {
		t.Errorf("plays %+v, %v", plays, err)
	}
	if _, ok := r.Committed(1); !ok {
		t.Error("the cycle has no time")
	}
	if _, ok := r.Committed(7); ok {
		t.Error("a cycle that is not there has a time")
	}
}

func TestWriting(t *testing.T) {
	dir := t.TempDir()
	w := create(t, dir)
	r := openRun(t, dir)
	if !r.Writing() || !w.Writing() {
		t.Error("the run is being written")
	}
	w.Close()
	if r.Writing() {
		t.Error("nobody writes any more")
	}
}
