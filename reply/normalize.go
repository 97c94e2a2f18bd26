package reply

import (
	"regexp"
	"strings"
)

// Normalize returns the content of a box in a plain form for comparison: without the dress of LaTeX (\text{D}
// is D, \frac{7}{12} is 7/12), with single spaces and none around commas, and with ASCII signs and digits.
// It is idempotent. A content of more than 4096 bytes is only trimmed.
func Normalize(content string) string {
	if len(content) > maxNormalized {
		return strings.TrimSpace(content)
	}
	for {
		next := normalizeOnce(content)
		if next == content {
			return next
		}
		content = next
	}
}

// maxNormalized bounds the work on a content that nests commands.
const maxNormalized = 4096

var (
	plainRunes = strings.NewReplacer(
		"\u2212", "-", "\ufe63", "-", "\uff0d", "-", "\uff0b", "+", "\uff0e", ".", "\uff0c", ",", "\u00a0", " ",
		"０", "0", "１", "1", "２", "2", "３", "3", "４", "4", "５", "5", "６", "6", "７", "7", "８", "8", "９", "9")
	plainCommands = strings.NewReplacer(
		`\dfrac`, `\frac`, `\tfrac`, `\frac`, "{,}", ",",
		`\,`, "", `\!`, "", `\;`, " ", `\:`, " ", `\ `, " ", `\%`, "%", `\$`, "$", `\{`, "{", `\}`, "}", `\#`, "#",
		`\_`, "_", `\&`, "&", `\(`, "", `\)`, "", `\[`, "", `\]`, "")
	wrapper   = regexp.MustCompile(`\\(?:text|textbf|textit|textrm|texttt|mathrm|mathbf|mathit|mathsf|mathtt|mbox|boxed|fbox|operatorname)\s*\{([^{}]*)\}`)
	fences    = regexp.MustCompile(`\\(?:left|right)\b`)
	product   = regexp.MustCompile(`\s*\\(?:cdot|times)\b\s*`)
	fraction  = regexp.MustCompile(`([\w)]\s*)?\\frac\s*(?:\{([^{}]*)\}|(\d))\s*(?:\{([^{}]*)\}|(\d))`)
	simple    = regexp.MustCompile(`^\s*[\w.]*\s*$`)
	signed    = regexp.MustCompile(`^\s*-[\w.]+\s*$`)
	anySpace  = regexp.MustCompile(`\s+`)
	listComma = regexp.MustCompile(` ?, ?`)
)

// normalizeOnce makes every replacement once. Each shortens the text or leaves it, so that repetition ends.
func normalizeOnce(s string) string {
	s = plainCommands.Replace(plainRunes.Replace(s))
	s = product.ReplaceAllString(fences.ReplaceAllString(s, ""), "*")
	s = wrapper.ReplaceAllString(s, "$1")
	s = fraction.ReplaceAllStringFunc(s, plainFraction)
	s = strings.TrimSpace(listComma.ReplaceAllString(anySpace.ReplaceAllString(s, " "), ","))
	if len(s) > 1 && strings.HasPrefix(s, "$") && strings.HasSuffix(s, "$") {
		s = s[1 : len(s)-1]
	}
	return strings.TrimSpace(s)
}

// plainFraction writes a match of fraction with a slash. What stands before it is kept apart: 2\frac12 is not 21/2.
func plainFraction(s string) string {
	m := fraction.FindStringSubmatch(s)
	before, over, under := strings.TrimSpace(m[1]), m[2]+m[3], m[4]+m[5]
	if before != "" {
		before += " "
	}
	if !signed.MatchString(over) {
		over = operand(over)
	}
	return before + strings.TrimSpace(over) + "/" + operand(under)
}

// operand returns one side of a fraction, in parentheses where it is more than one number or name.
func operand(s string) string {
	if simple.MatchString(s) {
		return strings.TrimSpace(s)
	}
	return "(" + s + ")"
}
