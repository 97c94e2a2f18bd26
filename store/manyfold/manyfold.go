// Command manyfold writes a large run from a real one, to measure what looks at runs.
//
//	go run ./store/manyfold [-environments N] [-episodes N] RUN OUT
//
// It owns no form of its own: OUT is committed by package store, cycle by cycle, like any run. The cycles of RUN follow
// each other again and again, each time with environments of their own (equal but for a last line that says which time
// it is), until there are as many environments as were asked for; each cycle's plays are repeated under further indices
// until there are enough episodes. Weights are left out. It is used by make scale.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"

	"spade"
	"spade/store"
)

func main() {
	environments := flag.Int("environments", 10_000, "how many environments OUT is to have at least")
	episodes := flag.Int("episodes", 300_000, "how many episodes OUT is to have at least")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: manyfold [-environments N] [-episodes N] RUN OUT")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := multiply(ctx, flag.Arg(0), flag.Arg(1), *environments, *episodes); err != nil {
		fmt.Fprintln(os.Stderr, "manyfold:", err)
		os.Exit(1)
	}
}

// multiply writes the run in from many times over into the new folder to.
func multiply(ctx context.Context, from, to string, environments, episodes int) error {
	source, err := store.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	index, err := source.Index()
	if err != nil {
		return err
	}
	last, _, _, _, err := source.Last()
	if err != nil {
		return err
	}
	if len(index) == 0 {
		return fmt.Errorf("the run in %s has no environment to multiply", from)
	}
	times := (environments + len(index) - 1) / len(index)
	out, err := store.Create(to, lengthened(source.Config(), times*last))
	if err != nil {
		return err
	}
	defer out.Close()
	w := writer{out: out, perEnvironment: float64(episodes) / float64(times*len(index))}
	for time := range times {
		first := 1
		if stats, err := source.Stats(); err == nil && time == 0 && stats[0].Cycle == 0 {
			first = 0
		}
		for number := first; number <= last; number++ {
			c, err := source.Cycle(number)
			if err != nil {
				return err
			}
			if err := w.write(ctx, c, time, time*last+number); err != nil {
				return err
			}
		}
	}
	summary, err := source.Summary()
	if err != nil || summary == nil {
		return err
	}
	return out.Finish(ctx, summary)
}

var cyclesKey = regexp.MustCompile(`(?m)^cycles: .*$`)

// lengthened is a configuration with another number of cycles.
func lengthened(config []byte, cycles int) []byte {
	return cyclesKey.ReplaceAll(config, fmt.Appendf(nil, "cycles: %d", cycles))
}

// writer commits cycles that were made from others.
type writer struct {
	out *store.Run
	// perEnvironment is how many episodes there are to be for each environment.
	perEnvironment         float64
	environments, episodes int
	// ids are those of the environments of this time, by those that they were made from.
	ids  map[string]string
	time int
}

// write commits cycle c, for the time-th time, under a number.
func (w *writer) write(ctx context.Context, c spade.Cycle, time, number int) error {
	if w.ids == nil || time != w.time {
		w.ids, w.time = map[string]string{}, time
	}
	shift := number - c.Number
	c.Number = number
	for i := range c.Environments {
		e := &c.Environments[i]
		was := e.ID
		if time > 0 {
			e.Source += fmt.Sprintf("# time %d\n", time+1)
			e.ID = spade.ContentID(e.Source)
		}
		e.Cycle += shift
		w.ids[was] = e.ID
	}
	for i := range c.Designs {
		d := &c.Designs[i]
		d.Cycle += shift
		d.EnvID = w.id(d.EnvID)
		for k := range d.Examples {
			d.Examples[k] = w.id(d.Examples[k])
		}
	}
	for i := range c.Scores {
		c.Scores[i].EnvID = w.id(c.Scores[i].EnvID)
	}
	for i := range c.Episodes {
		c.Episodes[i].Cycle, c.Episodes[i].EnvID = number, w.id(c.Episodes[i].EnvID)
	}
	w.environments += len(c.Environments)
	c.Episodes = repeated(c.Episodes, int(w.perEnvironment*float64(w.environments))-w.episodes)
	w.episodes += len(c.Episodes)
	c.Stats.Episodes = len(c.Episodes)
	if err := w.out.Commit(ctx, c, nil); err != nil {
		return err
	}
	if number > 0 && number%100 == 0 {
		fmt.Fprintf(os.Stderr, "cycle %d: %d environments, %d episodes\n", number, w.environments, w.episodes)
	}
	return nil
}

// id is that of the environment of this time; what is not an environment of the run stays what it is.
func (w *writer) id(was string) string {
	if id, known := w.ids[was]; known {
		return id
	}
	return was
}

// repeated are the episodes and as many more of them, under further indices and seeds, as make n, if there are any.
func repeated(episodes []spade.Episode, n int) []spade.Episode {
	once := len(episodes)
	if once == 0 {
		return episodes
	}
	span := 0
	for i := range episodes {
		span = max(span, episodes[i].Index+1)
	}
	for len(episodes) < n {
		e := episodes[len(episodes)-once]
		e.Index, e.Seed = e.Index+span, e.Seed+int64(span)
		episodes = append(episodes, e)
	}
	return episodes
}
