package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"spade"
	"spade/policy/local/base"
	"spade/policy/token"
	"spade/selfplay"
	"spade/store"
	"spade/web"
)

// uiRun is a stored run as the dashboard reads it.
type uiRun struct {
	*store.Run
	config selfplay.Config
	about  web.About
	pieces func() *token.Tokenizer
}

func openRun(dir string) (*uiRun, error) {
	run, err := store.Open(dir)
	if err != nil {
		return nil, err
	}
	cfg, err := decodeConfig(filepath.Join(dir, "config.yaml"), run.Config())
	if err != nil {
		run.Close()
		return nil, err
	}
	r := &uiRun{Run: run, config: cfg, about: web.About{
		Arm: cfg.Arm, Policy: cfg.Policy, Corpus: cfg.Corpus, Isolation: cfg.Isolation, Seed: cfg.Seed, Cycles: cfg.Cycles,
		Plays: cfg.Plays, HintedPlays: cfg.HintedPlays, PlateauWeight: cfg.Reward.PlateauWeight, Config: string(run.Config()),
	}}
	r.pieces = sync.OnceValue(func() *token.Tokenizer { return tokenizerOf(cfg.Policy) })
	return r, nil
}

func (r *uiRun) About() (web.About, error) { return r.about, nil }

func (r *uiRun) Summary() (*web.Summary, error) {
	data, err := r.Run.Summary()
	if err != nil || len(data) == 0 {
		return nil, err
	}
	var s selfplay.Summary
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("read the summary of %s: %w", r.Dir(), err)
	}
	summary := &web.Summary{HeldOutBefore: s.HeldOutBefore, HeldOutAfter: s.HeldOutAfter, Episodes: s.HeldOut.Episodes, Families: []web.Family{}}
	for _, f := range s.HeldOut.Families {
		summary.Families = append(summary.Families, web.Family{Name: f.Name, Episodes: f.Episodes, WinRate: f.WinRate})
	}
	return summary, nil
}

func (r *uiRun) Last() (int, error) {
	number, _, _, ok, err := r.Run.Last()
	if !ok {
		number = -1
	}
	return number, err
}

func (r *uiRun) Memory() ([]spade.Remembered, error) {
	_, state, _, _, err := r.Run.Last()
	if err != nil || len(state) == 0 { // a run that has committed nothing remembers nothing
		return nil, err
	}
	return selfplay.Remembered(state)
}

func (r *uiRun) Plays(id string) ([]web.Play, error) {
	plays, err := r.Run.Plays(id)
	list := make([]web.Play, len(plays))
	for i, p := range plays {
		list[i] = web.Play(p)
	}
	return list, err
}

// tokenizerOf reads the tokenizer of the embedded model, nil for any other policy.
func tokenizerOf(name string) *token.Tokenizer {
	kind, dir, given := strings.Cut(name, ":")
	if kind != "local" {
		return nil
	}
	checkpoint := base.Checkpoint()
	if given {
		checkpoint = os.DirFS(dir)
	}
	file, err := checkpoint.Open("tokenizer.json")
	if err != nil {
		return nil
	}
	defer file.Close()
	t, err := token.Read(file)
	if err != nil {
		return nil
	}
	return t
}

// Pieces returns the texts of tokens, nil where the policy's tokenizer is not at hand.
func (r *uiRun) Pieces(ids []int32) []string {
	t := r.pieces()
	if t == nil {
		return nil
	}
	texts := make([]string, len(ids))
	for i, id := range ids {
		if id < 0 || int(id) >= t.Size() {
			return nil
		}
		texts[i] = t.Decode([]int32{id})
	}
	return texts
}
