package selfplay

import (
	"context"
	"fmt"
	"slices"
	"strings"

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
	if err := l.finishRace(ctx, number, slots); err != nil {
		return err
	}
	gather(&record, slots)
	findSecrets(slots)
	record.Scores = l.score(st, slots)
	l.collect(st, slots)
	floored := l.rewardDesigners(st, number, &record)
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
	trained, tokens, err := l.train(ctx, batch)
	if err != nil {
		return err
	}
	st.Cycle = number
	counts.Tokens = tokens
	l.countTrained(&counts)
	record.Stats = l.stats(slots, &record, counts, trained)
	record.Stats.Samples = l.samples(st, slots, &record, advantages, counts)
	record.Stats.Samples.Floored = quotient(float64(floored), record.Stats.Samples.Rewarded)
	record.Stats.Vendi = <-vendi
	if l.Config.EvalEvery > 0 && l.measures() && number%l.Config.EvalEvery == 0 {
		measured, err := l.heldOut(ctx, number)
		if err != nil {
			return err
		}
		record.Stats.HeldOut, record.Stats.HeldOutWins = &measured.WinRate, measured.Wins
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
		made, err := l.designSlots(st, number, l.Config.designs())
		if err != nil {
			return nil, err
		}
		slots, st.Window = made, nil
	case l.arm.Name == armLadder:
		slots, st.Window = l.ladderSlots(number, l.Config.Environments), nil
	default:
		slots, st.Window = l.poolSlots(st, number), nil
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
		s := &slot{number: i, made: true}
		if err := l.ground(st, s); err != nil {
			return nil, err
		}
		draws := spade.Stream(l.Config.Seed, number, i, "examples")
		byRegret := draws.Float64() < l.Config.RegretExamples
		s.examples = st.Memory.Examples(draws, l.skill(s), l.Config.Positives, l.Config.Negatives, byRegret)
		if rate, known := st.Memory.WinRate(l.skill(s)); known && l.arm.Name != armNoMemory {
			s.winRate = &rate
		}
		slots[i] = s
	}
	return slots, nil
}

// passedOver bounds how many passages of other skills are passed over for one design.
const passedOver = 100_000

// ground draws the slot's passage, if there is a corpus.
func (l *Loop) ground(st *state, s *slot) error {
	for range passedOver {
		s.draw = st.Draws
		st.Draws++
		if l.Config.Corpus == NoCorpus {
			return nil
		}
		passage, err := l.Corpus.At(l.Config.Seed, s.draw)
		if err != nil {
			return fmt.Errorf("draw a passage: %w", err)
		}
		if named := passage.Skill(); !l.Config.OnlySkills || named == "" || slices.Contains(l.Config.Skills, named) {
			s.passage = &passage
			return nil
		}
	}
	return userError("only_skills is set, and no passage of the corpus asks for %s", strings.Join(l.Config.Skills, " or "))
}

func remembered(r spade.Remembered) spade.Environment {
	env := spade.NewEnvironment(r.Source)
	env.Class, env.Kind, env.Skill, env.Hint = r.Class, r.Kind, r.Skill, r.Hint
	env.PassageID, env.Cycle, env.Slot = r.PassageID, r.Cycle, r.Slot
	return env
}

// performAll runs the slots at the same time, each at its own pace from design to play.
func (l *Loop) performAll(ctx context.Context, st *state, number int, slots []*slot) error {
	seen := newClaims(l.known(st), l.near(st), len(slots))
	others := st.Memory.All()
	for _, s := range slots {
		s.others = others
	}
	l.progress(Progress{Cycle: number, Phase: "self-play", Total: len(slots)})
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

// near is what memory holds, prepared for comparisons where near-duplicates are refused.
func (l *Loop) near(st *state) []diversity.Known {
	if !l.Config.Admit.NearDuplicates {
		return nil
	}
	var near []diversity.Known
	for _, r := range st.Memory.All() {
		near = append(near, diversity.NewKnown(r.EnvID, r.Source))
	}
	return near
}

// gather puts what the slots made and played into the record, in the order of slots.
func gather(record *spade.Cycle, slots []*slot) {
	for _, s := range slots {
		if s.passage != nil {
			record.Passages = append(record.Passages, *s.passage)
		}
		if s.made && s.force.Playable {
			record.Environments = append(record.Environments, s.force.Env)
		}
		record.Episodes = append(record.Episodes, s.episodes...)
	}
}

// score rates every environment that was played to the end in this cycle, from this cycle's episodes.
func (l *Loop) score(st *state, slots []*slot) []spade.Score {
	cfg := st.Supply.Weigh(l.Config.Reward)
	var scores []spade.Score
	for _, s := range slots {
		if !s.force.inPlay() {
			continue
		}
		score, _ := reward.Score(cfg, s.force.Env, s.episodes, s.secret != "")
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
// record. The scores of their environments in this cycle are told the rewards too. floored is the number of designs whose regret was negative.
func (l *Loop) rewardDesigners(st *state, number int, record *spade.Cycle) (floored int) {
	if !l.arm.designs() || number%l.Config.RegenerateEvery != 0 {
		return 0
	}
	floored = l.earn(st)
	earned := map[string]*spade.Design{}
	for _, f := range st.Window {
		record.Designs = append(record.Designs, *f.Design)
		if f.inPlay() { // a refused duplicate has the same environment
			earned[f.Env.ID] = f.Design
		}
	}
	for i := range record.Scores {
		if score := &record.Scores[i]; !score.Replay && earned[score.EnvID] != nil {
			score.Raw, score.Reward = earned[score.EnvID].Raw, earned[score.EnvID].Reward
		}
	}
	return floored
}

// earn fills in raw rewards, centred rewards and advantages of the window's designs, and counts those of negative regret.
func (l *Loop) earn(st *state) (floored int) {
	cfg := st.Supply.Weigh(l.Config.Reward)
	scores, masked := make([]spade.Score, len(st.Window)), make([]bool, len(st.Window))
	for i, f := range st.Window {
		secondVerdict(f)
		warnOfRegret(f)
		if f.Design.First.Stage == spade.StagePolicy {
			masked[i] = true
			continue
		}
		if !f.Design.First.Admit { // trained on its first answer, whatever a repair made of it
			scores[i].Raw = reward.Refused(f.Design.First)
			continue
		}
		scores[i], masked[i] = reward.Score(cfg, f.Env, f.Plays, f.secret() != "")
		if f.unmeasured() {
			masked[i] = true
			continue
		}
		if scores[i].Regret < 0 {
			floored++
		}
	}
	st.Supply.Observe(scores)
	st.Potentials.Credit(l.Config.Reward, scores, masked)
	earned := make([]reward.Earned, len(st.Window))
	for i, f := range st.Window {
		d := f.Design
		d.Raw, d.Masked = scores[i].Raw, masked[i]
		earned[i] = reward.Earned{Skill: d.Skill, Raw: d.Raw, Masked: d.Masked}
	}
	rewards, advantages := reward.DesignerAdvantages(l.Config.Reward, &st.Baseline, earned)
	for i, f := range st.Window {
		f.Design.Reward, f.Design.Advantage = rewards[i], advantages[i]
	}
	return floored
}

// remember measures what was played: new environments enter memory, replayed ones are brought up to date.
func (l *Loop) remember(st *state, number int, slots []*slot, scores []spade.Score) {
	byEnv := map[string]spade.Score{}
	for _, score := range scores {
		byEnv[score.EnvID] = score
	}
	var sources []string
	for _, s := range slots {
		if !s.force.inPlay() {
			continue
		}
		if s.made {
			sources = append(sources, s.force.Env.Source)
		}
		st.Memory.Measure(number, s.force.Env, s.force.Packed, byEnv[s.force.Env.ID])
	}
	if l.arm.Name == armFixed { // the pool's environments are the arm's recent ones
		for _, s := range slots {
			sources = append(sources, s.force.Env.Source)
		}
	}
	st.keepRecent(sources)
}
