package main

import (
	"cmp"
	"fmt"
	"strings"

	"spade"
	"spade/diversity"
	"spade/pool"
	"spade/store"
)

type poolCommand struct {
	Import poolImport `cmd:"" help:"Read a pool in any layout, verify it, and write it in all of them."`
	Export poolExport `cmd:"" help:"Write the environments of a run as a pool, with hints, seeds and returns."`
	Ls     poolList   `cmd:"" help:"List a pool: its environments, and how different they are."`
}

// pooled says what a pool was written from.
type pooled struct {
	Dir          string `json:"dir"`
	Layout       string `json:"layout"`
	Environments int    `json:"environments"`
	Hints        int    `json:"hints"`
	// Verified is the number of files of the source whose checksum was compared.
	Verified int `json:"verified"`
}

type poolImport struct {
	Source string `arg:"" name:"SRC" help:"Folder with manifest.json, a .jsonl or .parquet file or a folder of them, or a folder of .py files."`
	Dir    string `arg:"" name:"DIR" help:"Folder to write, which must not exist yet or be empty."`
	JSON   bool   `name:"json" help:"Print one JSON object."`
}

func (c *poolImport) Run(con console) error {
	p, err := openPool(c.Source)
	if err != nil {
		return err
	}
	if err := pool.Write(c.Dir, p.Entries); err != nil {
		return err
	}
	return printPooled(con, c.JSON, pooled{Dir: c.Dir, Layout: string(p.Layout), Verified: p.Verified}, p.Entries)
}

// openPool reads a pool. A run is none: its files of Python and of episodes would be read without what belongs to them.
func openPool(path string) (pool.Pool, error) {
	if isRun(path) {
		return pool.Pool{}, spade.Errorf(spade.ByUser,
			fmt.Sprintf("make a pool of its environments with: spade pool export %s DIR; or look at the run with: spade show %s", spade.Quote(path), spade.Quote(path)),
			"%s is the folder of a run, not a pool", spade.Quote(path))
	}
	return pool.Open(path)
}

type poolExport struct {
	From string `arg:"" name:"RUN" help:"Folder of the run."`
	Dir  string `arg:"" name:"DIR" help:"Folder to write, which must not exist yet or be empty."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

func (c *poolExport) Run(con console) error {
	run, err := store.Open(c.From)
	if err != nil {
		return err
	}
	defer run.Close()
	entries, err := entriesOf(run)
	if err != nil {
		return err
	}
	if len(entries) == 0 {
		return spade.Errorf(spade.ByUser, "let the run go on first", "export %s: no environment is committed yet", c.From)
	}
	if err := pool.Write(c.Dir, entries); err != nil {
		return err
	}
	return printPooled(con, c.JSON, pooled{Dir: c.Dir, Layout: "run"}, entries)
}

// entriesOf returns the environments of a run, each with its first measurement.
func entriesOf(run *store.Run) ([]pool.Entry, error) {
	environments, err := run.Environments()
	if err != nil {
		return nil, err
	}
	episodes := map[int][]spade.Episode{} // by cycle
	entries := make([]pool.Entry, len(environments))
	for i, env := range environments {
		e := pool.Entry{
			FileName: env.ID + ".py", Skill: env.Skill, Code: env.Source, Hint: env.Hint, Class: env.Class,
			Kind: string(env.Kind), PassageID: env.PassageID, Generation: int64(env.Cycle), Slot: int64(env.Slot),
			Verdict: word(true), // a run keeps no others
		}
		history, err := run.History(env.ID)
		if err != nil {
			return nil, err
		}
		if len(history) > 0 {
			first := history[0]
			if _, read := episodes[first.Cycle]; !read {
				if episodes[first.Cycle], err = run.Episodes(first.Cycle); err != nil {
					return nil, err
				}
			}
			addMeasurement(&e, first.Score, episodes[first.Cycle])
		}
		entries[i] = e
	}
	return entries, nil
}

// addMeasurement fills in what an environment's plays in one cycle came to.
func addMeasurement(e *pool.Entry, s spade.Score, episodes []spade.Episode) {
	e.Plays, e.HintedPlays = int64(s.Plays), int64(s.HintedPlays)
	e.Mean, e.WinRate = pool.Real(s.Mean), pool.Real(s.WinRate)
	e.HintedMean, e.HintedWinRate, e.Regret = pool.Real(s.HintedMean), pool.Real(s.HintedWinRate), pool.Real(s.Regret)
	for i := range episodes {
		switch episode := &episodes[i]; {
		case episode.EnvID != s.EnvID || !episode.Counts():
		case episode.Arm == spade.Unhinted:
			e.Seeds = append(e.Seeds, episode.Seed)
			e.Returns = append(e.Returns, pool.Real(episode.Return))
		case episode.Arm == spade.Hinted:
			e.HintedReturns = append(e.HintedReturns, pool.Real(episode.Return))
		}
	}
}

func printPooled(con console, json bool, p pooled, entries []pool.Entry) error {
	p.Environments = len(entries)
	for _, e := range entries {
		if e.Hint != "" {
			p.Hints++
		}
	}
	if json {
		return printJSON(con, p)
	}
	_, err := fmt.Fprintf(con.out, "%s: %d environments, %d with a hint, from a %s; %d checksums verified\n",
		p.Dir, p.Environments, p.Hints, p.Layout, p.Verified)
	return err
}

type poolList struct {
	Pool string `arg:"" name:"P" help:"Folder with manifest.json, a .jsonl or .parquet file or a folder of them, or a folder of .py files."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// listed is a pool as JSON. Its environments are rows without their code.
type listed struct {
	Path         string         `json:"path"`
	Layout       string         `json:"layout"`
	Verified     int            `json:"verified"`
	Skills       map[string]int `json:"skills"`
	Diversity    float64        `json:"diversity"`
	Environments []listedEntry  `json:"environments"`
}

type listedEntry struct {
	ID          string    `json:"id"`
	Name        string    `json:"game_id"`
	File        string    `json:"file_name"`
	Skill       string    `json:"skill"`
	Lines       int64     `json:"line_count"`
	Hint        string    `json:"hint"`
	Plays       int64     `json:"n_plays"`
	Mean        pool.Real `json:"r_no_hint"`
	HintedPlays int64     `json:"n_hinted_plays"`
	HintedMean  pool.Real `json:"r_hint"`
	Regret      pool.Real `json:"regret"`
	Verdict     string    `json:"verdict"`
}

func (c *poolList) Run(con console) error {
	p, err := openPool(c.Pool)
	if err != nil {
		return err
	}
	skills, counts := p.Skills()
	out := listed{Path: c.Pool, Layout: string(p.Layout), Verified: p.Verified, Skills: counts}
	sources := make([]string, len(p.Entries))
	for i, e := range p.Entries {
		sources[i] = e.Code
		out.Environments = append(out.Environments, listedEntry{
			ID: e.ID(), Name: e.GameID, File: e.FileName, Skill: e.Skill, Lines: e.LineCount, Hint: e.Hint, Plays: e.Plays,
			Mean: e.Mean, HintedPlays: e.HintedPlays, HintedMean: e.HintedMean, Regret: e.Regret, Verdict: e.Verdict,
		})
	}
	out.Diversity = diversity.Score(sources)
	if c.JSON {
		return printJSON(con, out)
	}
	_, err = fmt.Fprint(con.out, out.text(skills))
	return err
}

func (l listed) text(skills []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s  %-20s %5s %5s %7s %7s %7s  %s\n", "id", "skill", "lines", "plays", "blind", "hinted", "regret", "file")
	for _, e := range l.Environments {
		fmt.Fprintf(&b, "%-16s  %-20s %5d %5d %7s %7s %7s  %s\n", e.ID, clip(e.Skill, 20), e.Lines, e.Plays, measured(e.Mean, e.Plays),
			measured(e.HintedMean, e.HintedPlays), measured(e.Regret, min(e.Plays, e.HintedPlays)), e.File)
	}
	var bySkill []string
	for _, skill := range skills {
		bySkill = append(bySkill, fmt.Sprintf("%s %d", cmp.Or(skill, "unknown"), l.Skills[skill]))
	}
	fmt.Fprintf(&b, "\n%d environments (%s), layout %s, %d checksums verified\n", len(l.Environments), strings.Join(bySkill, ", "), l.Layout, l.Verified)
	fmt.Fprintf(&b, "diversity (Vendi/n): %.2f\n", l.Diversity)
	return b.String()
}

// measured is a number, or a dash where no play is behind it.
func measured(value pool.Real, plays int64) string {
	if plays == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", value)
}
