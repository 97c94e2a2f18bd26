package corpus

import (
	"bytes"
	"io"
	"regexp"
	"unicode"
	"unicode/utf8"
)

const (
	// passageWords is the largest number of words of a passage of running text.
	passageWords = 400
	// sectionWords is from where on a heading starts a new passage.
	sectionWords = 100
)

// span is a contiguous part of a file.
type span struct {
	start, end int64
	// line is the number of the line in which it starts.
	line  int
	words int
}

// indexText finds the passages of a plain text or Markdown file.
func indexText(r io.Reader, markdown bool) (index, error) {
	t := textIndexer{markdown: markdown}
	err := eachLine(r, t.visit)
	t.endParagraph()
	t.flushHeadings()
	t.flushPassage()
	return t.index, err
}

// textIndexer joins lines into paragraphs and paragraphs into passages.
type textIndexer struct {
	index    index
	markdown bool

	// paragraph is the one that is being read; pieces are its parts where it is longer than a passage.
	paragraph span
	pieces    []span
	// heading says that the paragraph begins with a heading, bare that it is nothing else so far.
	heading, bare bool
	// fence is the mark that ends the fenced block in which the indexer is, nil outside.
	fence []byte

	// headings are headings that wait for the paragraph below them.
	headings span
	passage  span
}

var (
	fencePattern   = regexp.MustCompile("^ {0,3}(?:(```+)[^`]*$|(~~~+))") // marks with another behind them on the line are code inside a text
	headingPattern = regexp.MustCompile(`^ {0,3}#{1,6}(\s|$)`)
	ruledPattern   = regexp.MustCompile(`^ {0,3}(=+|-+)\s*$`)
)

func (t *textIndexer) visit(l line) {
	if l.damaged() {
		t.index.skip(l.number)
		return
	}
	text := l.text()
	switch {
	case t.fence != nil:
		if mark := bytes.TrimSpace(text); bytes.HasPrefix(mark, t.fence) && len(bytes.Trim(mark, string(t.fence[:1]))) == 0 {
			t.fence = nil
		}
	case len(bytes.TrimSpace(text)) == 0:
		t.endParagraph()
		return
	case t.markdown:
		t.visitMarkup(text)
	}
	t.addWords(l)
}

// visitMarkup notes what a line of Markdown, outside a fenced block, says about the paragraph it is in.
func (t *textIndexer) visitMarkup(text []byte) {
	if m := fencePattern.FindSubmatch(text); m != nil {
		t.fence = bytes.Clone(append(m[1], m[2]...))
	}
	inParagraph := t.paragraph.end > 0
	switch {
	case headingPattern.Match(text):
		t.endParagraph()
		t.heading, t.bare = true, true
	case inParagraph && !t.bare && len(t.pieces) == 0 && ruledPattern.Match(text):
		t.heading, t.bare = true, true // the lines above this ruler are a heading
	default:
		t.bare = false
	}
}

// addWords adds the words of a line to the paragraph and starts a new piece where a passage would overflow.
func (t *textIndexer) addWords(l line) {
	p := &t.paragraph
	eachWord(l.data, func(start, end int) bool {
		if p.words == passageWords {
			t.pieces = append(t.pieces, *p)
			*p = span{}
		}
		if p.words == 0 {
			*p = span{start: l.offset + int64(start), line: l.number}
		}
		p.words++
		p.end = l.offset + int64(end)
		return true
	})
}

// endParagraph hands the paragraph that was read to the passages.
func (t *textIndexer) endParagraph() {
	if t.paragraph.end > 0 {
		if t.bare && len(t.pieces) == 0 {
			if t.headings.words+t.paragraph.words > passageWords {
				t.flushHeadings()
			}
			t.headings = join(t.headings, t.paragraph)
		} else {
			for i, piece := range append(t.pieces, t.paragraph) {
				t.place(piece, i == 0)
			}
		}
	}
	t.paragraph, t.pieces, t.heading, t.bare = span{}, nil, false, false
}

// place adds a paragraph, with the headings that wait for it, to the passage, or starts a new passage with it.
func (t *textIndexer) place(paragraph span, first bool) {
	section := first && t.heading || t.headings.end > 0
	added := join(t.headings, paragraph)
	t.headings = span{}
	full := t.passage.words+added.words > passageWords
	if full || section && t.passage.words >= sectionWords {
		t.flushPassage()
	}
	t.passage = join(t.passage, added)
}

// flushHeadings makes headings without text below them a paragraph.
func (t *textIndexer) flushHeadings() {
	if h := t.headings; h.end > 0 {
		t.headings = span{}
		t.place(h, false)
	}
}

func (t *textIndexer) flushPassage() {
	if t.passage.end > 0 {
		t.index.add(t.passage.start, t.passage.end, t.passage.line)
	}
	t.passage = span{}
}

// join returns the span from the start of a to the end of b, which follows it.
func join(a, b span) span {
	if a.end == 0 {
		return b
	}
	if b.end == 0 {
		return a
	}
	return span{start: a.start, end: b.end, line: a.line, words: a.words + b.words}
}

// decodeText returns the text of a span of a file: valid lines only, ending in LF.
func decodeText(data []byte) string {
	var out []byte
	for raw := range bytes.SplitSeq(data, []byte("\n")) {
		if l := (line{data: raw}); !l.damaged() {
			out = append(append(out, l.text()...), '\n')
		}
	}
	return string(bytes.TrimSpace(out))
}

// eachWord calls visit with the bounds of each word of text until visit returns false. Words are what white
// space separates; a byte order mark is white space here.
func eachWord[T string | []byte](text T, visit func(start, end int) bool) {
	start := -1
	for i := 0; i < len(text); {
		r, size := decodeRune(text, i)
		switch space := unicode.IsSpace(r) || r == '\ufeff'; {
		case space && start >= 0:
			if !visit(start, i) {
				return
			}
			start = -1
		case !space && start < 0:
			start = i
		}
		i += size
	}
	if start >= 0 {
		visit(start, len(text))
	}
}

func decodeRune[T string | []byte](text T, i int) (rune, int) {
	if c := text[i]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(string(text[i:min(i+utf8.UTFMax, len(text))]))
}

// truncate returns the first n words of text, unchanged where it has no more; n < 0 means no limit.
func truncate(text string, n int) string {
	if n < 0 {
		return text
	}
	count, last := 0, 0
	over := false
	eachWord(text, func(_, end int) bool {
		if count == n {
			over = true
			return false
		}
		count, last = count+1, end
		return true
	})
	if over {
		return text[:last]
	}
	return text
}
