package corpus

import "spade"

// Report is how a corpus reads: its passages, whole (before the limit of words), and its damaged lines.
type Report struct {
	Documents []string `json:"documents"`
	Skipped   int      `json:"skipped"`
	// SkippedLines are the numbers of the damaged lines, those of one file after those of another.
	SkippedLines []int `json:"skipped_lines"`
	// Files says what is in each file of a folder; there are none where a single file was read.
	Files []File `json:"files,omitempty"`
}

// Explain reads the corpus at name as Open does and reports all that it finds. A file without passages is no
// error here.
func Explain(name string) (Report, error) {
	c, names, folder, err := locate(name, Options{Words: -1})
	if err != nil {
		return Report{}, err
	}
	r := Report{Documents: []string{}, SkippedLines: []int{}}
	for _, n := range names {
		skipped, err := c.addFile(n)
		if err != nil {
			return Report{}, readError(name, err)
		}
		r.Skipped += len(skipped)
		r.SkippedLines = append(r.SkippedLines, skipped...)
	}
	if folder {
		r.Files = c.Files()
	}
	var p spade.Passage
	for i := range c.Len() {
		if p, err = c.Passage(i); err != nil {
			return Report{}, err
		}
		r.Documents = append(r.Documents, p.Text)
	}
	return r, nil
}
