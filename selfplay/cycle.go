package selfplay

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"spade"
	"spade/admit"
	"spade/diversity"
	"spade/learn"
	"spade/reward"
)

// cycle runs the cycle after st.Cycle and moves st on to it: design, admit, play, reward, learn, remember,
// commit.
func (l *Loop) cycle(ctx context.Context, st *state) error {
	number := st.Cycle + 1
	record := spade.Cycle{Number: number}
	slots, err := l.schedule(st, number)
	if err != nil {
		return err
	}
	if err := l.performAll(ctx, st, number, slots); err != nil {
		return err
	}
	gather(&record, slots)
	findSecrets(slots)
	record.Scores = l.score(slots)
	l.collect(st, slots)
	l.rewardDesigners(st, number, &record)
	l.progress(Progress{Cycle: number, Phase: "training"})
	advantages, _ := reward.AgentAdvantages(reward.PopulationStd, record.Episodes)
	batch, counts := learn.Build(l.Config.Learn, record.Episodes, advantages, record.Designs)
	if err := l.settle(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.remember(st, number, slots, record.Scores)
	vendi := make(chan float64, 1)
	go func() { vendi <- diversity.Score(st.Recent) }() // while the model trains
	trained, err := l.Policy.Train(ctx, batch)
	if err != nil {
		return err
	}
	st.Cycle = number
	record.Stats = l.stats(slots, &record, counts, trained)
	record.Stats.Vendi = <-vendi
	if l.Config.EvalEvery > 0 && number%l.Config.EvalEvery == 0 {
		measured, err := l.heldOut(ctx, number)
		if err != nil {
			return err
		}
		record.Stats.HeldOut = &measured.WinRate
	}
	return l.commit(ctx, st, record)
}

// schedule says what the cycle plays: designs to make or environments in force, then replays from memory.
func (l *Loop) schedule(st *state, number int) ([]*slot, error) {
	var slots []*slot
	switch {
	case (number-1)%l.Config.RegenerateEvery != 0:
		for _, f := range st.Window {
			slots = append(slots, &slot{number: len(slots), force: f})
		}
	case l.arm.designs():
		made, err := l.designSlots(st, number, l.Config.Environments)
		if err != nil {
			return nil, err
		}
		slots, st.Window = made, nil
	default:
		st.Window = nil
		order := spade.Stream(l.Config.Seed, number, 0, "pool").Perm(len(st.Pool))
		for _, i := range order[:min(l.Config.Environments, len(order))] {
			f := st.Pool[i]
			slots = append(slots, &slot{number: len(slots), force: &f})
		}
	}
	if !l.arm.designs() {
		return slots, nil
	}
	for _, r := range st.Memory.Replays(l.Config.Replays) {
		f := &inForce{Env: remembered(r), Playable: true, Packed: r.Packed}
		slots = append(slots, &slot{number: len(slots), force: f, replay: true})
	}
	return slots, nil
}

// designSlots draws passage and examples for n designs.
func (l *Loop) designSlots(st *state, number, n int) ([]*slot, error) {
	slots := make([]*slot, n)
	for i := range slots {
		passage, err := l.Corpus.At(l.Config.Seed, st.Draws)
		if err != nil {
			return nil, fmt.Errorf("draw a passage: %w", err)
		}
		s := &slot{number: i, draw: st.Draws, passage: &passage}
		s.examples = st.Memory.Examples(spade.Stream(l.Config.Seed, number, i, "examples"), l.skill(s),
			l.Config.Positives, l.Config.Negatives)
		slots[i] = s
		st.Draws++
	}
	return slots, nil
}

func remembered(r spade.Remembered) spade.Environment {
	env := spade.NewEnvironment(r.Source)
	env.Class, env.Kind, env.Skill, env.Hint = r.Class, r.Kind, r.Skill, r.Hint
	env.PassageID, env.Cycle, env.Slot = r.PassageID, r.Cycle, r.Slot
	return env
}

// performAll runs the slots at the same time, each at its own pace from design to play.
func (l *Loop) performAll(ctx context.Context, st *state, number int, slots []*slot) error {
	seen := newClaims(l.known(st), len(slots))
	others := st.Memory.All()
	for _, s := range slots {
		s.others = others
	}
	done := make(chan struct{}, len(slots))
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range slots {
		group.Go(func() error {
			defer func() { done <- struct{}{} }()
			return l.perform(ctx, number, s, seen)
		})
	}
	for i := range slots {
		<-done
		l.progress(Progress{Cycle: number, Phase: "self-play", Done: i + 1, Total: len(slots)})
	}
	return group.Wait()
}

// known maps the fingerprints of what memory holds to environment ids.
func (l *Loop) known(st *state) map[string]string {
	known := map[string]string{}
	for _, r := range st.Memory.All() {
		fingerprint, ok := l.prints[r.EnvID]
		if !ok {
			fingerprint = admit.Fingerprint(r.Source)
			l.prints[r.EnvID] = fingerprint
		}
		known[fingerprint] = r.EnvID
	}
	return known
}

// gather puts what the slots made and played into the record, in the order of slots.
func gather(record *spade.Cycle, slots []*slot) {
	for _, s := range slots {
		if s.designing() {
			record.Passages = append(record.Passages, *s.passage)
			if s.force.Playable {
				record.Environments = append(record.Environments, s.force.Env)
			}
		}
		record.Episodes = append(record.Episodes, s.episodes...)
	}
}

// score rates every environment that was played in this cycle, from this cycle's episodes.
func (l *Loop) score(slots []*slot) []spade.Score {
	var scores []spade.Score
	for _, s := range slots {
		if !s.force.Playable {
			continue
		}
		score, _ := reward.Score(l.Config.Reward, s.force.Env, s.episodes, s.secret != "")
		score.Replay = s.replay
		scores = append(scores, score)
	}
	return scores
}

// collect adds the cycle's plays to the window.
func (l *Loop) collect(st *state, slots []*slot) {
	fresh := len(st.Window) == 0
	for _, s := range slots {
		if s.replay {
			continue
		}
		if fresh {
			st.Window = append(st.Window, s.force)
		}
		for _, e := range s.episodes {
			e.Turns = nil
			s.force.Plays = append(s.force.Plays, e)
		}
	}
}

// rewardDesigners gives the designs of a window what they earned, once the window is over, and puts them into the
// record. The scores of this cycle are told the rewards too.
func (l *Loop) rewardDesigners(st *state, number int, record *spade.Cycle) {
	if !l.arm.designs() || number%l.Config.RegenerateEvery != 0 {
		return
	}
	l.earn(st)
	rewards := map[string]float64{}
	for _, f := range st.Window {
		record.Designs = append(record.Designs, *f.Design)
		rewards[f.Env.ID] = f.Design.Reward
	}
	for i := range record.Scores {
		if score := &record.Scores[i]; !score.Replay {
			score.Reward = rewards[score.EnvID]
		}
	}
}

// earn fills in raw rewards, centred rewards and advantages of the window's designs.
func (l *Loop) earn(st *state) {
	earned := make([]reward.Earned, len(st.Window))
	for i, f := range st.Window {
		secondVerdict(f)
		warnOfRegret(f)
		d := f.Design
		switch {
		case !d.First.Admit: // trained on its first answer, whatever a repair made of it
			d.Raw = reward.Refused(d.First)
		default:
			var score spade.Score
			score, d.Masked = reward.Score(l.Config.Reward, f.Env, f.Plays, f.secret() != "")
			d.Raw = score.Raw
		}
		earned[i] = reward.Earned{Skill: d.Skill, Raw: d.Raw, Masked: d.Masked}
	}
	rewards, advantages := reward.DesignerAdvantages(l.Config.Reward, &st.Baseline, earned)
	for i, f := range st.Window {
		f.Design.Reward, f.Design.Advantage = rewards[i], advantages[i]
	}
}

// remember measures what was played: new environments enter memory, replayed ones are brought up to date.
func (l *Loop) remember(st *state, number int, slots []*slot, scores []spade.Score) {
	byEnv := map[string]spade.Score{}
	for _, score := range scores {
		byEnv[score.EnvID] = score
	}
	var sources []string
	for _, s := range slots {
		if !s.force.Playable {
			continue
		}
		if s.designing() {
			sources = append(sources, s.force.Env.Source)
		}
		st.Memory.Measure(number, s.force.Env, s.force.Packed, byEnv[s.force.Env.ID])
	}
	if !l.arm.designs() { // the pool's environments are the arm's recent ones
		for _, s := range slots {
			sources = append(sources, s.force.Env.Source)
		}
	}
	st.keepRecent(sources)
}
