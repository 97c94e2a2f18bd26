// Package examples holds the worked environments as files, for benchmarks.
//
// It owns the environments and their hints and nothing that runs them.
package examples

import "embed"

// Files are the environments (NAME.py) and their hints (NAME.hint.txt).
//
//go:embed *.py *.hint.txt
var Files embed.FS
