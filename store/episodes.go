package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"

	"spade"
)

// episodeRow is one row of a file of episodes. Its columns are read outside of this program: they may grow,
// and never change.
type episodeRow struct {
	Cycle   int64     `parquet:"cycle"`
	Slot    int64     `parquet:"slot"`
	EnvID   string    `parquet:"env_id,dict"`
	Arm     string    `parquet:"arm,dict"`
	Index   int64     `parquet:"index"`
	Seed    int64     `parquet:"seed"`
	Hint    string    `parquet:"hint,dict"`
	Return  float64   `parquet:"return"`
	Stop    string    `parquet:"stop,dict"`
	Outcome string    `parquet:"outcome,dict"`
	Failure string    `parquet:"failure,dict"`
	Final   string    `parquet:"final"`
	Turns   []turnRow `parquet:"turns,list"`
}

type turnRow struct {
	Observation string    `parquet:"observation"`
	Reply       string    `parquet:"reply"`
	Action      string    `parquet:"action"`
	Reward      float64   `parquet:"reward"`
	Terminated  bool      `parquet:"terminated"`
	Truncated   bool      `parquet:"truncated"`
	Tokens      []int32   `parquet:"tokens,list"`
	LogProbs    []float32 `parquet:"log_probs,list"`
	Mask        []bool    `parquet:"mask,list"`
	Version     int64     `parquet:"version"`
}

// encodeEpisodes returns a Parquet file with one row per episode. Equal episodes give equal bytes. Parquet
// text is UTF-8, so bytes of a reply that are not become U+FFFD; its token ids are exact.
func encodeEpisodes(episodes []spade.Episode) ([]byte, error) {
	rows := make([]episodeRow, len(episodes))
	for i := range episodes {
		rows[i] = toRow(&episodes[i])
	}
	var b bytes.Buffer
	w := parquet.NewGenericWriter[episodeRow](&b,
		parquet.CreatedBy("spade", "1", ""), // not the version of a library: bytes must not change with it
		parquet.Compression(&parquet.Zstd))
	if _, err := w.Write(rows); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// checkParquet reports whether the file at path is a whole Parquet file, by its end, which holds its index.
func checkParquet(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if _, err := parquet.OpenFile(f, info.Size()); err != nil {
		return fmt.Errorf("it is no whole Parquet file (%w)", err)
	}
	return nil
}

// decodeEpisodes reads what encodeEpisodes wrote.
func decodeEpisodes(data []byte) ([]spade.Episode, error) {
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	reader := parquet.NewGenericReader[episodeRow](f)
	defer reader.Close()
	rows := make([]episodeRow, f.NumRows())
	for read := 0; read < len(rows); {
		n, err := reader.Read(rows[read:])
		read += n
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		if n == 0 {
			return nil, io.ErrUnexpectedEOF
		}
	}
	episodes := make([]spade.Episode, len(rows))
	for i := range rows {
		episodes[i] = fromRow(&rows[i])
	}
	return episodes, nil
}

func toRow(e *spade.Episode) episodeRow {
	turns := make([]turnRow, len(e.Turns))
	for i, t := range e.Turns {
		turns[i] = turnRow{
			Observation: utf8Text(t.Observation), Reply: utf8Text(t.Reply), Action: utf8Text(t.Action),
			Reward: t.Reward, Terminated: t.Terminated, Truncated: t.Truncated,
			Tokens: t.Tokens, LogProbs: t.LogProbs, Mask: t.Mask, Version: t.Version,
		}
	}
	return episodeRow{
		Cycle: int64(e.Cycle), Slot: int64(e.Slot), EnvID: e.EnvID, Arm: string(e.Arm), Index: int64(e.Index),
		Seed: e.Seed, Hint: utf8Text(e.Hint), Return: e.Return, Stop: string(e.Stop), Outcome: string(e.Outcome),
		Failure: e.Failure, Final: utf8Text(e.Final), Turns: turns,
	}
}

func fromRow(r *episodeRow) spade.Episode {
	var turns []spade.Turn
	for _, t := range r.Turns {
		turns = append(turns, spade.Turn{
			Observation: t.Observation, Reply: t.Reply, Action: t.Action,
			Reward: t.Reward, Terminated: t.Terminated, Truncated: t.Truncated,
			Tokens: t.Tokens, LogProbs: t.LogProbs, Mask: t.Mask, Version: t.Version,
		})
	}
	return spade.Episode{
		EnvID: r.EnvID, Cycle: int(r.Cycle), Slot: int(r.Slot), Arm: spade.Arm(r.Arm), Index: int(r.Index),
		Seed: r.Seed, Hint: r.Hint, Turns: turns, Final: r.Final, Stop: spade.StopReason(r.Stop),
		Outcome: spade.Outcome(r.Outcome), Failure: r.Failure, Return: r.Return,
	}
}

func utf8Text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
