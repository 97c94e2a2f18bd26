package main

import (
	"cmp"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// defaultWidth is the number of columns where nobody says how many there are: in a pipe or a file.
const defaultWidth = 80

// widthOf is the number of columns of the terminal that out writes to, of COLUMNS, or the usual one.
func widthOf(out io.Writer) int {
	if u, ok := out.(*unread); ok {
		out = u.Writer
	}
	if f, ok := out.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	if width, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && width > 0 {
		return width
	}
	return defaultWidth
}

// inASCII reports whether the locale has no other characters than those of ASCII. Where none is set, as in most
// containers, it has all.
func inASCII() bool {
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	_, charset, _ := strings.Cut(locale, ".")
	charset = strings.ToLower(strings.ReplaceAll(charset, "-", ""))
	return locale != "" && !strings.HasPrefix(charset, "utf8")
}

// drawn is text that this program drew, in the characters of the locale.
func drawn(text string) string {
	if inASCII() {
		return asciiDrawing.Replace(text)
	}
	return text
}

var asciiDrawing = strings.NewReplacer(
	"▁", ".", "▂", ":", "▃", "-", "▄", "=", "▅", "+", "▆", "*", "▇", "#", "█", "@", "░", ".", "▒", "+", "▓", "*",
	"│", "|", "┤", "+", "└", "+", "·", "-", "→", "->", "…", "...", "⏎", " ")
