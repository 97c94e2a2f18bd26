package corpus

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"spade"
)

// DefaultWords is the published limit of words of a passage, for games; tool use has 4000.
const DefaultWords = 6000

// Options say how a corpus is read. The zero value is the default.
type Options struct {
	// Words is the largest number of words of a passage: what is beyond is cut off at a word's end.
	// 0 means DefaultWords, a negative number no limit.
	Words int `yaml:"words"`
}

// Corpus is an indexed corpus of at least one passage. It keeps 16 bytes a passage and reads texts when they
// are asked for, so that corpora of many gigabytes fit. It is safe for concurrent use.
type Corpus struct {
	fsys  fs.FS
	words int
	files []file
	refs  []ref

	mu          sync.Mutex
	permutation permutation
}

// File is what was found in one file of a corpus.
type File struct {
	// Name is the slash-separated path below the folder that was opened, or the file's own name.
	Name string `json:"name"`
	// Passages and Skipped count its passages and its damaged lines.
	Passages int `json:"passages"`
	Skipped  int `json:"skipped"`
	// FirstSkipped is the number of its first damaged line, 0 if it has none.
	FirstSkipped int `json:"first_skipped,omitempty"`
}

// file is a File and where its passages are.
type file struct {
	File
	// first is the number of its first passage in the corpus.
	first int
	// size and modified are what they were when the file was indexed.
	size     int64
	modified time.Time
	// digest is the SHA-256 of its bytes.
	digest []byte
}

// ref says where a passage lies in its file.
type ref struct {
	offset int64
	length uint32
	line   uint32
}

// index is what reading one file found.
type index struct {
	refs    []ref
	skipped []int
}

func (x *index) add(start, end int64, line int) {
	if end-start > math.MaxUint32 {
		x.skip(line) // only text with gigabytes of white space between two paragraphs gets here
		return
	}
	x.refs = append(x.refs, ref{offset: start, length: uint32(end - start), line: uint32(line)})
}

func (x *index) skip(line int) { x.skipped = append(x.skipped, line) }

//go:embed builtin.jsonl
var builtin embed.FS

// Builtin returns the corpus that comes with the program: 408 short passages over 24 topics. Their metadata
// names the "topic" and the "skill".
func Builtin() *Corpus {
	c := &Corpus{fsys: builtin, words: DefaultWords}
	if _, err := c.addFile("builtin.jsonl"); err != nil {
		panic(err) // the file is part of the program
	}
	return c
}

// Open indexes the corpus at name: a .jsonl, .txt or .md file, or a folder, whose files with these endings are
// read in the order of their paths (folders whose name begins with a dot are left out). A file that cannot be
// read and a corpus without any passage are errors by the user.
func Open(name string, opts Options) (*Corpus, error) {
	c, names, _, err := locate(name, opts)
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if _, err := c.addFile(n); err != nil {
			return nil, readError(name, err)
		}
	}
	if c.Len() == 0 {
		return nil, spade.Errorf(spade.ByUser, emptyNext, "open corpus %s: it holds no passage (%s)", name, c.skips())
	}
	return c, nil
}

// locate finds the files of the corpus at name, and returns a corpus that has read none of them yet.
func locate(name string, opts Options) (c *Corpus, names []string, folder bool, err error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, nil, false, spade.Errorf(spade.ByUser, "check the path, or leave the corpus out to use the built-in one",
			"open corpus: %w", err)
	}
	c = &Corpus{words: cmp.Or(opts.Words, DefaultWords)}
	if !info.IsDir() {
		c.fsys = os.DirFS(filepath.Dir(name))
		return c, []string{filepath.Base(name)}, false, nil
	}
	c.fsys = os.DirFS(name)
	names, err = list(c.fsys)
	if err != nil {
		return nil, nil, true, readError(name, err)
	}
	if len(names) == 0 {
		return nil, nil, true, spade.Errorf(spade.ByUser, "name a folder that holds .jsonl, .txt or .md files",
			"open corpus %s: the folder holds no file of passages", spade.Quote(name))
	}
	return c, names, true, nil
}

const emptyNext = `give one JSON object a line with its text under "text" or "orig_doc", or plain text; in UTF-8`

// readError returns err as the user's: a file could not be read.
func readError(name string, err error) error {
	if e := new(spade.Error); errors.As(err, &e) {
		return err
	}
	return spade.Errorf(spade.ByUser, "check that the file can be read", "read corpus %s: %w", name, err)
}

// skips says in words how many lines were skipped and where the first is.
func (c *Corpus) skips() string {
	total, first := 0, ""
	for _, f := range c.files {
		if total == 0 && f.Skipped > 0 {
			first = fmt.Sprintf("%s:%d", f.Name, f.FirstSkipped)
		}
		total += f.Skipped
	}
	if total == 0 {
		return "no damaged lines, no text"
	}
	return fmt.Sprintf("%d damaged lines, the first is %s", total, first)
}

// addFile indexes one file and returns the numbers of its damaged lines.
func (c *Corpus) addFile(name string) (skipped []int, err error) {
	f, info, err := openFile(c.fsys, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	digest := sha256.New()
	x, err := indexFile(io.TeeReader(f, digest), name)
	if err != nil {
		return nil, err
	}
	entry := file{
		File:     File{Name: name, Passages: len(x.refs), Skipped: len(x.skipped)},
		first:    len(c.refs),
		size:     info.Size(),
		modified: info.ModTime(),
		digest:   digest.Sum(nil),
	}
	if len(x.skipped) > 0 {
		entry.FirstSkipped = x.skipped[0]
	}
	c.files = append(c.files, entry)
	c.refs = append(c.refs, x.refs...)
	return x.skipped, nil
}

// Len returns the number of passages.
func (c *Corpus) Len() int { return len(c.refs) }

// ID identifies what is in the files of the corpus, and their order: the first 16 hex digits of a SHA-256. Corpora of
// equal ID hold the same passages.
func (c *Corpus) ID() string {
	all := sha256.New()
	for _, f := range c.files {
		fmt.Fprintf(all, "%s\n%x\n", f.Name, f.digest)
	}
	return hex.EncodeToString(all.Sum(nil)[:8])
}

// Files returns what was found in each file, in the order of reading.
func (c *Corpus) Files() []File {
	files := make([]File, len(c.files))
	for i, f := range c.files {
		files[i] = f.File
	}
	return files
}

// Passage returns passage i, in the order of reading, 0 <= i < Len. It fails if the file has changed since it
// was indexed.
func (c *Corpus) Passage(i int) (spade.Passage, error) {
	n, found := slices.BinarySearchFunc(c.files, i, func(f file, i int) int { return cmp.Compare(f.first, i) })
	if !found {
		n--
	}
	for c.files[n].Passages == 0 {
		n++ // files without passages share the number of the file after them
	}
	data, err := c.read(c.files[n], c.refs[i])
	if err != nil {
		return spade.Passage{}, readError(c.files[n].Name, err)
	}
	p := spade.Passage{Source: fmt.Sprintf("%s:%d", c.files[n].Name, c.refs[i].line)}
	if format(c.files[n].Name) == ".jsonl" {
		p.Text, p.Meta, _ = decodeRecord(line{data: data}.text())
	} else {
		p.Text = decodeText(data)
	}
	p.Text = truncate(p.Text, c.words)
	p.ID = spade.ContentID(p.Text)
	return p, nil
}

// read returns the bytes of a passage.
func (c *Corpus) read(f file, r ref) ([]byte, error) {
	in, info, err := openFile(c.fsys, f.Name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if info.Size() != f.size || !info.ModTime().Equal(f.modified) {
		return nil, spade.Errorf(spade.ByUser, "leave a corpus as it is while a run uses it, and start again",
			"read corpus: %s has changed since it was opened", f.Name)
	}
	data := make([]byte, r.length)
	if _, err := in.(io.ReaderAt).ReadAt(data, r.offset); err != nil {
		return nil, err
	}
	return data, nil
}
