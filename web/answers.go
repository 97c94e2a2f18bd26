package web

import (
	"encoding/json"
	"maps"
	"slices"

	"spade"
)

// The answers of the API. Lists that can be long are columns: one array for each field, all of one length. Numbers are
// in the units of spade's types; docs/api.md says what each one is.

// runAnswer is one run among those that are served.
type runAnswer struct {
	Name      string `json:"name"`
	Dir       string `json:"dir"`
	Arm       string `json:"arm"`
	Committed int    `json:"committed"`
	Cycles    int    `json:"cycles"`
	Writing   bool   `json:"writing"`
}

// overviewAnswer is a run at a glance.
type overviewAnswer struct {
	Name    string   `json:"name"`
	Dir     string   `json:"dir"`
	About   About    `json:"about"`
	Summary *Summary `json:"summary"`
	// Committed is the number of the last committed cycle, -1 before the first.
	Committed    int  `json:"committed"`
	Writing      bool `json:"writing"`
	Environments int  `json:"environments"`
	Designs      int  `json:"designs"`
	Refused      int  `json:"refused"`
	Faults       int  `json:"faults"`
	Episodes     int  `json:"episodes"`
	Passages     int  `json:"passages"`
	// Phase is what the loop is doing, where this process runs it.
	Phase *Phase `json:"phase"`
	// CanPlay says whether this server has a jail to play in.
	CanPlay bool `json:"can_play"`
	// Version counts what was added to the server's index of the run.
	Version int `json:"version"`
}

// Phase is what the loop is doing within a cycle.
type Phase struct {
	Cycle int    `json:"cycle"`
	Name  string `json:"name"`
	Done  int    `json:"done"`
	Total int    `json:"total"`
}

// cyclesAnswer are the statistics of cycles, as columns.
type cyclesAnswer struct {
	Cycle          []int               `json:"cycle"`
	Designed       []int               `json:"designed"`
	Admitted       []int               `json:"admitted"`
	Episodes       []int               `json:"episodes"`
	Faults         []int               `json:"faults"`
	WinRate        []float64           `json:"win_rate"`
	HintedWinRate  []float64           `json:"hinted_win_rate"`
	Regret         []float64           `json:"regret"`
	DesignerReward []float64           `json:"designer_reward"`
	AnchorPart     []float64           `json:"anchor_part"`
	RegretPart     []float64           `json:"regret_part"`
	InBand         []float64           `json:"in_band"`
	Signal         []float64           `json:"signal"`
	Vendi          []float64           `json:"vendi"`
	Turns          []float64           `json:"turns"`
	SampledTokens  []int               `json:"sampled_tokens"`
	TrainedTokens  []int               `json:"trained_tokens"`
	HeldOut        []*float64          `json:"held_out"`
	Seconds        []*float64          `json:"seconds"`
	Refused        map[string][]int    `json:"refused"`
	Train          map[string][]number `json:"train"`
	Skills         map[string]skillsOf `json:"skills"`
}

// number is a number that a cycle may lack.
type number = *float64

// skillsOf are the measurements of one skill, as columns parallel to the cycles; null where a cycle has none.
type skillsOf struct {
	Environments  []int    `json:"environments"`
	WinRate       []number `json:"win_rate"`
	HintedWinRate []number `json:"hinted_win_rate"`
	Regret        []number `json:"regret"`
}

// environmentsAnswer are all environments, as columns, in the order in which they entered.
type environmentsAnswer struct {
	ID            []string   `json:"id"`
	Class         []string   `json:"class"`
	Kind          []string   `json:"kind"`
	Skill         []string   `json:"skill"`
	Hint          []string   `json:"hint"`
	Passage       []string   `json:"passage"`
	Cycle         []int      `json:"cycle"`
	Slot          []int      `json:"slot"`
	Turns         []float64  `json:"turns"`
	Plays         []int      `json:"plays"`
	HintedPlays   []int      `json:"hinted_plays"`
	WinRate       []float64  `json:"win_rate"`
	HintedWinRate []float64  `json:"hinted_win_rate"`
	Regret        []float64  `json:"regret"`
	Raw           []float64  `json:"raw"`
	Measured      []int      `json:"measured"`
	Measurements  []int      `json:"measurements"`
	Names         [][]string `json:"names"`
}

// mapAnswer are the places of environments in the plane, in their order.
type mapAnswer struct {
	// Ready is false while the layout is being computed; X and Y then hold what is known so far.
	Ready bool      `json:"ready"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
}

// environmentAnswer is one environment with all that is known of it.
type environmentAnswer struct {
	Environment spade.Environment `json:"environment"`
	Entered     int               `json:"entered"`
	Turns       float64           `json:"turns"`
	Names       []string          `json:"names"`
	History     []historyAnswer   `json:"history"`
	Plays       []Play            `json:"plays"`
	Design      *designAnswer     `json:"design"`
	Passage     *spade.Passage    `json:"passage"`
	Parents     []string          `json:"parents"`
	Children    []string          `json:"children"`
	// Previous and Next are its neighbours in the order of entering, "" at the ends.
	Previous string `json:"previous"`
	Next     string `json:"next"`
}

type historyAnswer struct {
	Cycle int `json:"cycle"`
	spade.Score
}

// designAnswer is one design without the tokens of its reply.
type designAnswer struct {
	Cycle       int             `json:"cycle"`
	Slot        int             `json:"slot"`
	Made        int             `json:"made"`
	Skill       string          `json:"skill"`
	PassageID   string          `json:"passage_id"`
	EnvID       string          `json:"env_id"`
	Examples    []string        `json:"examples"`
	Prompt      []spade.Message `json:"prompt"`
	Reply       string          `json:"reply"`
	First       spade.Verdict   `json:"first"`
	Repairs     []spade.Repair  `json:"repairs"`
	Verdict     spade.Verdict   `json:"verdict"`
	HintVerdict *spade.Verdict  `json:"hint_verdict"`
	Raw         float64         `json:"raw"`
	Reward      float64         `json:"reward"`
	Advantage   float64         `json:"advantage"`
	Masked      bool            `json:"masked"`
	Tokens      int             `json:"tokens"`
}

func newDesignAnswer(cycle int, d *spade.Design) *designAnswer {
	return &designAnswer{cycle, d.Slot, d.Cycle, d.Skill, d.PassageID, d.EnvID, d.Examples, d.Prompt, d.Reply, d.First, d.Repairs, d.Verdict,
		d.HintVerdict, d.Raw, d.Reward, d.Advantage, d.Masked, len(d.Trajectory.Tokens)}
}

// pairAnswer are the episodes of one seed, one for each arm.
type pairAnswer struct {
	Cycle    int             `json:"cycle"`
	EnvID    string          `json:"env_id"`
	Index    int             `json:"index"`
	Episodes []episodeAnswer `json:"episodes"`
}

type episodeAnswer struct {
	Arm     spade.Arm        `json:"arm"`
	Seed    int64            `json:"seed,string"`
	Hint    string           `json:"hint"`
	Turns   []turnAnswer     `json:"turns"`
	Final   string           `json:"final"`
	Stop    spade.StopReason `json:"stop"`
	Outcome spade.Outcome    `json:"outcome"`
	Return  float64          `json:"return"`
	Won     bool             `json:"won"`
}

type turnAnswer struct {
	Observation string        `json:"observation"`
	Reply       string        `json:"reply"`
	Action      string        `json:"action"`
	Reward      float64       `json:"reward"`
	Version     int64         `json:"version"`
	Sampled     int           `json:"sampled"`
	Tokens      *tokensAnswer `json:"tokens,omitempty"`
}

// tokensAnswer are the tokens of a turn, as columns; Text is null where their texts are not known.
type tokensAnswer struct {
	ID      []int32   `json:"id"`
	Text    []string  `json:"text"`
	LogProb []float32 `json:"log_prob"`
	Sampled []bool    `json:"sampled"`
}

// corpusAnswer are the passages that were drawn, as columns.
type corpusAnswer struct {
	ID       []string  `json:"id"`
	Source   []string  `json:"source"`
	Skill    []string  `json:"skill"`
	Topic    []string  `json:"topic"`
	Cycle    []int     `json:"cycle"`
	Draws    []int     `json:"draws"`
	Designed []int     `json:"designed"`
	Admitted []int     `json:"admitted"`
	Regret   []number  `json:"regret"`
	WinRate  []number  `json:"win_rate"`
	Reward   []float64 `json:"reward"`
}

// passageAnswer is one passage with what came of it.
type passageAnswer struct {
	Passage spade.Passage `json:"passage"`
	Designs designsAnswer `json:"designs"`
}

// designsAnswer are designs, as columns.
type designsAnswer struct {
	Cycle       []int      `json:"cycle"`
	Slot        []int      `json:"slot"`
	Skill       []string   `json:"skill"`
	Passage     []string   `json:"passage"`
	EnvID       []string   `json:"env_id"`
	Admit       []bool     `json:"admit"`
	Stage       []string   `json:"stage"`
	Codes       [][]string `json:"codes"`
	Detail      []string   `json:"detail"`
	HintRefused []string   `json:"hint_refused"`
	Raw         []float64  `json:"raw"`
}

// jailAnswer is what was refused or killed.
type jailAnswer struct {
	// Designs are those that were refused, or whose hint was.
	Designs designsAnswer `json:"designs"`
	Faults  faultsAnswer  `json:"faults"`
}

// faultsAnswer are episodes in which an environment misbehaved, as columns.
type faultsAnswer struct {
	Cycle   []int    `json:"cycle"`
	EnvID   []string `json:"env_id"`
	Arm     []string `json:"arm"`
	Index   []int    `json:"index"`
	Outcome []string `json:"outcome"`
}

// memoryAnswer is what the run remembers.
type memoryAnswer struct {
	Environments []rememberedAnswer `json:"environments"`
	// Shown are the environments that the designs of the last cycle were shown.
	Shown []string `json:"shown"`
}

type rememberedAnswer struct {
	EnvID         string  `json:"env_id"`
	Skill         string  `json:"skill"`
	Hint          string  `json:"hint"`
	Class         string  `json:"class"`
	WinRate       float64 `json:"win_rate"`
	HintedWinRate float64 `json:"hinted_win_rate"`
	Regret        float64 `json:"regret"`
	Plays         int     `json:"plays"`
	Cycle         int     `json:"cycle"`
	Measured      int     `json:"measured"`
}

// cyclesAfter returns the statistics of the cycles after a number.
func (x *index) cyclesAfter(after int, plateau float64) cyclesAnswer {
	x.mu.Lock()
	defer x.mu.Unlock()
	from := slices.IndexFunc(x.cycles, func(c cycleRow) bool { return c.number > after })
	if from < 0 {
		from = len(x.cycles)
	}
	rows := x.cycles[from:]
	a := emptyCycles(len(rows))
	for i := range rows {
		row := &rows[i]
		a.add(row, plateau)
		a.Seconds = append(a.Seconds, x.seconds(from+i))
	}
	a.fillNames(rows)
	return a
}

// seconds is how long a cycle took by the times of its files; nil where they do not say.
func (x *index) seconds(i int) number {
	if i == 0 || x.cycles[i].at.IsZero() || x.cycles[i-1].at.IsZero() {
		return nil
	}
	took := x.cycles[i].at.Sub(x.cycles[i-1].at).Seconds()
	if took <= 0 {
		return nil
	}
	return &took
}

func emptyCycles(n int) cyclesAnswer {
	a := cyclesAnswer{Refused: map[string][]int{}, Train: map[string][]number{}, Skills: map[string]skillsOf{}}
	for _, column := range []*[]float64{&a.WinRate, &a.HintedWinRate, &a.Regret, &a.DesignerReward, &a.AnchorPart, &a.RegretPart, &a.InBand,
		&a.Signal, &a.Vendi, &a.Turns} {
		*column = make([]float64, 0, n)
	}
	for _, column := range []*[]int{&a.Cycle, &a.Designed, &a.Admitted, &a.Episodes, &a.Faults, &a.SampledTokens, &a.TrainedTokens} {
		*column = make([]int, 0, n)
	}
	a.HeldOut, a.Seconds = make([]*float64, 0, n), make([]*float64, 0, n)
	return a
}

func (a *cyclesAnswer) add(row *cycleRow, plateau float64) {
	s := &row.stats
	a.Cycle = append(a.Cycle, row.number)
	a.Designed, a.Admitted = append(a.Designed, s.Designed), append(a.Admitted, s.Admitted)
	a.Episodes, a.Faults = append(a.Episodes, s.Episodes), append(a.Faults, s.Faults)
	a.WinRate, a.HintedWinRate = append(a.WinRate, s.WinRate), append(a.HintedWinRate, s.HintedWinRate)
	a.Regret, a.DesignerReward = append(a.Regret, s.Regret), append(a.DesignerReward, s.DesignerReward)
	rewarded := float64(max(1, row.rewarded))
	a.AnchorPart = append(a.AnchorPart, plateau*row.anchorSum/rewarded)
	a.RegretPart = append(a.RegretPart, (row.rawSum-plateau*row.anchorSum)/rewarded)
	a.InBand, a.Signal, a.Vendi = append(a.InBand, s.InBand), append(a.Signal, s.Signal), append(a.Vendi, s.Vendi)
	a.Turns = append(a.Turns, s.Turns)
	a.SampledTokens, a.TrainedTokens = append(a.SampledTokens, s.SampledTokens), append(a.TrainedTokens, s.TrainedTokens)
	a.HeldOut = append(a.HeldOut, s.HeldOut)
}

// fillNames adds the columns whose names the run decides.
func (a *cyclesAnswer) fillNames(rows []cycleRow) {
	for i := range rows {
		for code, n := range rows[i].stats.Refused {
			if a.Refused[code] == nil {
				a.Refused[code] = make([]int, len(rows))
			}
			a.Refused[code][i] = n
		}
		for name, value := range rows[i].stats.Train {
			if a.Train[name] == nil {
				a.Train[name] = make([]number, len(rows))
			}
			value = finite(value)
			a.Train[name][i] = &value
		}
		for skill, k := range rows[i].skills {
			column, known := a.Skills[skill]
			if !known {
				column = skillsOf{make([]int, len(rows)), make([]number, len(rows)), make([]number, len(rows)), make([]number, len(rows))}
				a.Skills[skill] = column
			}
			n := float64(k.environments)
			column.Environments[i] = k.environments
			column.WinRate[i], column.HintedWinRate[i], column.Regret[i] = mean(k.winRate, n), mean(k.hintedWinRate, n), mean(k.regret, n)
		}
	}
}

func mean(sum, n float64) number {
	m := sum / n
	return &m
}

// listed is an encoded list of environments, and what of the index it was made from.
type listed struct {
	version, read int
	data          encoded
}

// environmentsJSON is the answer with all environments. It is the largest of all, so it is encoded once for each state
// of the index. What it does not say yet of their names is read in the background.
func (x *index) environmentsJSON() (encoded, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.listed.data == nil || x.listed.version != x.version || x.listed.read != x.read {
		data, err := json.Marshal(x.environments())
		if err != nil {
			return nil, err
		}
		x.listed = listed{x.version, x.read, data}
	}
	if x.read < len(x.envs) && !x.reading {
		go x.readNames()
	}
	return x.listed.data, nil
}

// environments is the answer with all environments; the index is locked.
func (x *index) environments() environmentsAnswer {
	a := environmentsAnswer{ID: []string{}, Class: []string{}, Kind: []string{}, Skill: []string{}, Hint: []string{}, Passage: []string{},
		Cycle: []int{}, Slot: []int{}, Turns: []float64{}, Plays: []int{}, HintedPlays: []int{}, WinRate: []float64{}, HintedWinRate: []float64{},
		Regret: []float64{}, Raw: []float64{}, Measured: []int{}, Measurements: []int{}, Names: [][]string{}}
	for _, e := range x.envs {
		s := e.score()
		if s == nil {
			s = &measured{cycle: e.entered}
		}
		a.ID, a.Class, a.Kind, a.Skill = append(a.ID, e.env.ID), append(a.Class, e.env.Class), append(a.Kind, string(e.env.Kind)), append(a.Skill, e.env.Skill)
		a.Hint, a.Passage = append(a.Hint, clip(e.env.Hint, 160)), append(a.Passage, e.env.PassageID)
		a.Cycle, a.Slot, a.Turns = append(a.Cycle, e.entered), append(a.Slot, e.env.Slot), append(a.Turns, e.turns)
		a.Plays, a.HintedPlays = append(a.Plays, s.Plays), append(a.HintedPlays, s.HintedPlays)
		a.WinRate, a.HintedWinRate, a.Regret = append(a.WinRate, s.WinRate), append(a.HintedWinRate, s.HintedWinRate), append(a.Regret, s.Regret)
		a.Raw, a.Measured, a.Measurements = append(a.Raw, s.Raw), append(a.Measured, s.cycle), append(a.Measurements, len(e.scores))
		a.Names = append(a.Names, e.names)
	}
	return a
}

func (x *index) corpusTable() corpusAnswer {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := corpusAnswer{ID: []string{}, Source: []string{}, Skill: []string{}, Topic: []string{}, Cycle: []int{}, Draws: []int{}, Designed: []int{},
		Admitted: []int{}, Regret: []number{}, WinRate: []number{}, Reward: []float64{}}
	for _, p := range x.corpus {
		topic, _ := p.passage.Meta["topic"].(string)
		a.ID, a.Source, a.Skill = append(a.ID, p.passage.ID), append(a.Source, p.passage.Source), append(a.Skill, p.passage.Skill())
		a.Topic, a.Cycle, a.Draws = append(a.Topic, topic), append(a.Cycle, p.cycle), append(a.Draws, p.draws)
		admitted, measuredN := 0, 0.0
		var reward, regret, winRate float64
		for _, i := range p.designs {
			d := &x.designs[i]
			reward += d.raw / float64(len(p.designs))
			if d.admit {
				admitted++
				if e := x.byID[d.env]; e != nil && len(e.scores) > 0 {
					measuredN++
					regret, winRate = regret+e.scores[0].Regret, winRate+e.scores[0].WinRate
				}
			}
		}
		a.Designed, a.Admitted, a.Reward = append(a.Designed, len(p.designs)), append(a.Admitted, admitted), append(a.Reward, reward)
		if measuredN == 0 {
			a.Regret, a.WinRate = append(a.Regret, nil), append(a.WinRate, nil)
		} else {
			a.Regret, a.WinRate = append(a.Regret, mean(regret, measuredN)), append(a.WinRate, mean(winRate, measuredN))
		}
	}
	return a
}

func emptyDesigns() designsAnswer {
	return designsAnswer{Cycle: []int{}, Slot: []int{}, Skill: []string{}, Passage: []string{}, EnvID: []string{}, Admit: []bool{}, Stage: []string{},
		Codes: [][]string{}, Detail: []string{}, HintRefused: []string{}, Raw: []float64{}}
}

func (a *designsAnswer) add(d *designRow) {
	a.Cycle, a.Slot, a.Skill, a.Passage = append(a.Cycle, d.cycle), append(a.Slot, d.slot), append(a.Skill, d.skill), append(a.Passage, d.passage)
	a.EnvID, a.Admit, a.Stage = append(a.EnvID, d.env), append(a.Admit, d.admit), append(a.Stage, d.stage)
	a.Codes = append(a.Codes, append([]string{}, d.codes...))
	a.Detail, a.HintRefused, a.Raw = append(a.Detail, d.detail), append(a.HintRefused, d.hintRefused), append(a.Raw, d.raw)
}

func (x *index) jail() jailAnswer {
	x.mu.Lock()
	defer x.mu.Unlock()
	a := jailAnswer{Designs: emptyDesigns(), Faults: faultsAnswer{[]int{}, []string{}, []string{}, []int{}, []string{}}}
	for i := range x.designs {
		if d := &x.designs[i]; !d.admit || d.hintRefused != "" {
			a.Designs.add(d)
		}
	}
	for _, f := range x.faults {
		a.Faults.Cycle, a.Faults.EnvID, a.Faults.Arm = append(a.Faults.Cycle, f.cycle), append(a.Faults.EnvID, f.env), append(a.Faults.Arm, string(f.arm))
		a.Faults.Index, a.Faults.Outcome = append(a.Faults.Index, f.index), append(a.Faults.Outcome, string(f.outcome))
	}
	return a
}

// shown are the environments that the designs of the last cycle were shown, most often first.
func (x *index) shown() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	times := map[string]int{}
	for _, e := range x.envs {
		if e.entered == x.last {
			for _, id := range e.parents {
				times[id]++
			}
		}
	}
	return slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		if times[a] != times[b] {
			return times[b] - times[a]
		}
		return x.byID[a].number - x.byID[b].number
	})
}
