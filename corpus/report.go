package corpus

import (
	"os"
	"path/filepath"
)

// Report is how one file reads: its passages, whole (before the limit of words), and its damaged lines.
type Report struct {
	Documents    []string `json:"documents"`
	Skipped      int      `json:"skipped"`
	SkippedLines []int    `json:"skipped_lines"`
}

// Explain reads the file at name as Open does and reports all that it finds. A file without passages is no
// error here.
func Explain(name string) (Report, error) {
	c := &Corpus{fsys: os.DirFS(filepath.Dir(name)), words: -1}
	skipped, err := c.addFile(filepath.Base(name))
	if err != nil {
		return Report{}, readError(name, err)
	}
	r := Report{Documents: []string{}, Skipped: len(skipped), SkippedLines: append([]int{}, skipped...)}
	for i := range c.Len() {
		p, err := c.Passage(i)
		if err != nil {
			return Report{}, err
		}
		r.Documents = append(r.Documents, p.Text)
	}
	return r, nil
}
