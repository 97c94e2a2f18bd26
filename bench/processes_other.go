//go:build !linux

package bench

import "time"

// ProcessorTime returns 0.
func ProcessorTime(int) time.Duration { return 0 }
