package reply

import (
	"regexp"
	"strings"
)

// Code returns the Python source that a reply gives in a fenced block, with LF line ends.
//
// A block is fenced by three or more backticks or tildes and labelled python, py or python3, in any case; if
// there is none, an unlabelled block that defines something counts. The closing fence is not indented more
// than the opening one, which keeps indented fences in the code, and does not stand inside a triple-quoted
// string, unless that string never ends. A labelled fence inside a block means that it was begun anew. Of several blocks the last one that defines a class counts, else the
// last: later blocks correct earlier ones. A block that never closes was cut off and does not count.
func Code(text string) (code string, ok bool) {
	b, ok := codeBlock(counting(text))
	return b.code, ok
}

// Hint returns what stands, trimmed, in the last <hint>…</hint> of a reply outside its Python source. A blank
// hint is none.
func Hint(text string) (string, bool) {
	rest := counting(text)
	if b, ok := codeBlock(rest); ok {
		rest = glue(rest[:b.start], rest[b.end:])
	}
	hint, _ := lastBetween(rest, "<hint>", "</hint>")
	hint = strings.TrimSpace(hint)
	return hint, hint != ""
}

// block is a fenced block: its language, its source and where it stands, fences included.
type block struct {
	label      string
	code       string
	start, end int
}

var classPattern = regexp.MustCompile(`(?m)^[ \t]*class\s+\w+`)

// codeBlock chooses the Python block of a text.
func codeBlock(text string) (chosen block, ok bool) {
	found := blocks(text, opening.isPython)
	if len(found) == 0 {
		found = unlabelled(text)
	}
	defines := false
	for _, b := range found {
		if class := classPattern.MatchString(b.code); class || !defines {
			chosen, ok, defines = b, true, class
		}
	}
	return chosen, ok
}

var definition = regexp.MustCompile(`(?m)^(class|def|import|from)\s+\w`)

// unlabelled returns the blocks without a label that look like Python.
func unlabelled(text string) []block {
	var found []block
	for _, b := range blocks(text, func(opening) bool { return true }) {
		if b.label == "" && definition.MatchString(b.code) {
			found = append(found, b)
		}
	}
	return found
}

// opening is a line that opens a block.
type opening struct {
	// indent is the white space before the fence, "" if other text precedes it.
	indent, fence string
	// label is the language, in lower case.
	label string
}

func (o opening) isPython() bool {
	return o.label == "python" || o.label == "python3" || o.label == "py"
}

var openingPattern = regexp.MustCompile("^([^`~]*)(```+|~~~+)[ \\t]*\\{?\\.?([\\w+#-]*)([^`]*)$")

// readOpening reads a line as an opening fence. After other text only a label may follow on the line.
func readOpening(line string) (opening, bool) {
	m := openingPattern.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
	if m == nil {
		return opening{}, false
	}
	o := opening{indent: m[1], fence: m[2], label: strings.ToLower(m[3])}
	if strings.TrimLeft(o.indent, " \t") != "" {
		o.indent = ""
		return o, o.label != "" && strings.TrimSpace(m[4]) == ""
	}
	return o, true
}

// blocks returns the complete fenced blocks whose opening fence is wanted; what stands inside a block opens no
// other one.
func blocks(text string, wanted func(opening) bool) []block {
	var found []block
	lines := strings.SplitAfter(text, "\n")
	start := 0
	for i := 0; i < len(lines); i++ {
		o, opens := readOpening(lines[i])
		if opens && wanted(o) {
			if n := o.closing(lines[i+1:]); n >= 0 {
				inner := strings.Join(lines[i+1:i+1+n], "")
				end := start + len(lines[i]) + len(inner) + len(lines[i+1+n])
				found = append(found, block{label: o.label, code: o.source(inner), start: start, end: end})
				i, start = i+1+n, end
				continue
			}
		}
		start += len(lines[i])
	}
	return found
}

// source returns the text of a block with LF line ends and without the indent of its fence.
func (o opening) source(inner string) string {
	inner = strings.ReplaceAll(inner, "\r\n", "\n")
	if o.indent == "" {
		return inner
	}
	lines := strings.SplitAfter(inner, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], o.indent)
	}
	return strings.Join(lines, "")
}

// closing returns which of the lines below an opening fence closes its block, or -1 if none does.
func (o opening) closing(lines []string) int {
	first := -1
	var quotes tripleQuotes
	for i, l := range lines {
		mark := strings.TrimLeft(l, " \t")
		if len(l)-len(mark) <= len(o.indent) && strings.HasPrefix(mark, o.fence) {
			closes := strings.Trim(strings.TrimSpace(mark), o.fence[:1]) == ""
			if closes && quotes.open == "" {
				return i
			}
			if closes && first < 0 {
				first = i
			}
			if next, _ := readOpening(l); next.isPython() && quotes.open == "" {
				return first
			}
		}
		quotes.read(l)
	}
	return first
}

// tripleQuotes follows Python source line by line and knows whether a triple-quoted string is open.
type tripleQuotes struct {
	// open is the quotes that close the string, "" outside of one.
	open string
}

func (q *tripleQuotes) read(line string) {
	single := byte(0) // the quote of a string that ends on this line
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case c == '\\':
			i++
		case q.open != "":
			if strings.HasPrefix(line[i:], q.open) {
				i += len(q.open) - 1
				q.open = ""
			}
		case single != 0:
			if c == single {
				single = 0
			}
		case c == '#':
			return
		case c == '"' || c == '\'':
			if triple := strings.Repeat(string(c), 3); strings.HasPrefix(line[i:], triple) {
				q.open = triple
				i += 2
			} else {
				single = c
			}
		}
	}
}
