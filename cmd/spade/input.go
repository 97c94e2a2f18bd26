package main

import (
	"errors"
	"fmt"
	"io"
	"os"
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

var errTooLarge = errors.New("larger than the limit")
