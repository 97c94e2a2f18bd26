package admit

import (
	"fmt"
	"strings"

	"spade"
)

// Fingerprint folds layout, comments, docstrings, imports, quotes, parentheses and the choice of names out of
// source and returns a hash of the rest: equal for copies of one environment under other names. Numbers and
// texts stay, so the same rules in another world are another environment.
func Fingerprint(source string) string {
	names := make(map[string]int)
	var folded strings.Builder
	for _, line := range logicalLines(withoutMain(lex(source))) {
		if isImport(line) || isDocstring(line) {
			continue
		}
		for _, t := range line {
			foldToken(&folded, names, t)
		}
		folded.WriteByte('\n')
	}
	return spade.ContentID(folded.String())
}

func foldToken(folded *strings.Builder, names map[string]int, t token) {
	switch {
	case t.kind == stringToken:
		fmt.Fprintf(folded, "%q ", t.text)
	case t.kind == nameToken && !pythonKeywords[t.text]:
		if _, seen := names[t.text]; !seen {
			names[t.text] = len(names)
		}
		fmt.Fprintf(folded, "n%d ", names[t.text])
	case t.text != "(" && t.text != ")":
		folded.WriteString(t.text + " ")
	}
}

func isImport(line []token) bool { return line[0].text == "import" || line[0].text == "from" }

func isDocstring(line []token) bool {
	for _, t := range line {
		if t.kind != stringToken {
			return false
		}
	}
	return true
}

// logicalLines cuts tokens into logical lines; none is empty.
func logicalLines(tokens []token) [][]token {
	var lines [][]token
	for i, t := range tokens {
		if t.first || i == 0 {
			lines = append(lines, nil)
		}
		last := len(lines) - 1
		lines[last] = append(lines[last], t)
	}
	return lines
}

// pythonKeywords keep their meaning under renaming, as do the constants.
var pythonKeywords = wordSet(`False None True and as assert async await break class continue def del elif else
	except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`)

// wordSet returns the words of text as a set.
func wordSet(text string) map[string]bool {
	set := make(map[string]bool)
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}
