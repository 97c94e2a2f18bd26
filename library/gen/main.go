// Command gen writes the held-out suite of package library to the file that it is given. The suite is frozen:
// running it again is for making another suite, on which no earlier measurement holds.
package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"

	"spade/library"
)

func main() {
	if err := write(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func write(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: gen FILE")
	}
	var out bytes.Buffer
	packed, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return fmt.Errorf("compress the suite: %w", err)
	}
	enc := json.NewEncoder(packed)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(library.MakeHeldOut()); err != nil {
		return fmt.Errorf("encode the suite: %w", err)
	}
	if err := packed.Close(); err != nil {
		return fmt.Errorf("compress the suite: %w", err)
	}
	if err := os.WriteFile(args[0], out.Bytes(), 0o644); err != nil {
		return fmt.Errorf("write the suite: %w", err)
	}
	return nil
}
