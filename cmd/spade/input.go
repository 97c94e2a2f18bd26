package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"spade"
)

// Largest inputs that are read whole, in bytes: far above what anybody means, and small enough for any machine.
const (
	maxSourceFile = 16 << 20
	maxTextFile   = 16 << 20
)

// readFile reads a whole file of at most limit bytes.
func readFile(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("read %s: %w of %d bytes", name, errTooLarge, limit)
	}
	return data, err
}

// readPassage reads a text file as one passage.
func readPassage(name string) (*spade.Passage, error) {
	data, err := readFile(name, maxTextFile)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "name a text file", "read the passage: %w", err)
	}
	text := strings.TrimSpace(strings.TrimPrefix(string(data), "\ufeff"))
	if !utf8.ValidString(text) {
		return nil, spade.Errorf(spade.ByUser, "save it as UTF-8", "the passage %s is no UTF-8 text", spade.Quote(name))
	}
	if text == "" {
		return nil, spade.Errorf(spade.ByUser, "write a passage into it", "the passage %s is empty", spade.Quote(name))
	}
	return &spade.Passage{ID: spade.ContentID(text), Text: text, Source: name}, nil
}

var errTooLarge = errors.New("larger than the limit")
