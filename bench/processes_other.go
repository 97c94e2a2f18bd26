//go:build !linux

package bench

import "time"

// Children returns nothing: outside Linux no sandbox opens.
func Children(int) []int { return nil }

// ProcessorTime returns 0.
func ProcessorTime(int) time.Duration { return 0 }
