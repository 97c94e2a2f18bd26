//go:build !linux

package bench

import (
	"errors"
	"time"
)

// Outside Linux no sandbox opens, so nothing here is reached.

var errNoLinux = errors.New("measuring the sandbox needs Linux")

func onOneCore() (undo func(), err error) { return nil, errNoLinux }
func spent() time.Duration                { return 0 }
func jailed() (servers, processes []int)  { return nil, nil }

type stopwatch struct{}

func startWatch() stopwatch                             { return stopwatch{} }
func (stopwatch) elapsed() time.Duration                { return 0 }
func memory(int, string, string) (mib float64, _ error) { return 0, errNoLinux }
