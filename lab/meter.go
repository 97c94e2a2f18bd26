package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"
	"sync"

	"spade/bench"
)

// Cost is what a run has cost up to the end of a cycle: processor time of the process and of all that it has started,
// in seconds. It is a measurement, differs between equal runs, and is kept outside of the run.
type Cost struct {
	Cycle int `json:"cycle"`
	// Learning is without held-out measurements, HeldOut those alone.
	Learning float64 `json:"cpu_s"`
	HeldOut  float64 `json:"held_out_cpu_s"`
}

// Meter measures the cost of the run that this process plays, and appends it to a file after every cycle. It is safe
// for concurrent use.
type Meter struct {
	file *os.File
	// clock is the processor time of this process and its descendants.
	clock func() float64

	mu sync.Mutex
	// used is the processor time at the last look, and total what was attributed so far.
	used    float64
	total   Cost
	heldOut bool
}

// OpenMeter continues the file of a run that goes on after a cycle, -1 for a run that begins: later lines, which a
// killed process may have left, are cut off. Measuring starts at the start of the process.
func OpenMeter(path string, cycle int) (*Meter, error) {
	costs, err := ReadCosts(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m := &Meter{clock: func() float64 { return bench.TreeTime(os.Getpid()).Seconds() }}
	var kept strings.Builder
	for _, c := range costs {
		if c.Cycle <= cycle {
			m.total = c
			kept.WriteString(c.line())
		}
	}
	if err := ReplaceFile(path, []byte(kept.String())); err != nil {
		return nil, fmt.Errorf("write processor times: %w", err)
	}
	if m.file, err = os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0); err != nil {
		return nil, fmt.Errorf("write processor times: %w", err)
	}
	return m, nil
}

// line is the cost as it is written, in hundredths of a second: /proc knows no less.
func (c Cost) line() string {
	c.Learning, c.HeldOut = math.Round(100*c.Learning)/100, math.Round(100*c.HeldOut)/100
	data, err := json.Marshal(c)
	if err != nil {
		panic(err) // plain finite numbers
	}
	return string(data) + "\n"
}

// Phase says what the run does from now on.
func (m *Meter) Phase(heldOut bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if heldOut == m.heldOut {
		return // looking costs a few milliseconds
	}
	m.attribute()
	m.heldOut = heldOut
}

// Cycle writes down that a cycle is over.
func (m *Meter) Cycle(number int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attribute()
	m.heldOut = false
	m.total.Cycle = number
	_, err := m.file.WriteString(m.total.line())
	if err = errors.Join(err, m.file.Sync()); err != nil { // the cycle is on disk already
		return fmt.Errorf("write processor times: %w", err)
	}
	return nil
}

// attribute adds the time since the last look to what the run was doing.
func (m *Meter) attribute() {
	now := m.clock()
	spent := max(0, now-m.used)
	m.used = now
	if m.heldOut {
		m.total.HeldOut += spent
	} else {
		m.total.Learning += spent
	}
}

// Close ends the file.
func (m *Meter) Close() error { return m.file.Close() }

// ReadCosts reads what a Meter wrote; a line that a killed process left incomplete is passed over.
func ReadCosts(path string) ([]Cost, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read processor times: %w", err)
	}
	defer file.Close()
	var costs []Cost
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c Cost
		if json.Unmarshal(lines.Bytes(), &c) == nil {
			costs = append(costs, c)
		}
	}
	return costs, lines.Err()
}

// LearningBy is the processor time that a run had learned for by the end of a cycle. A process that was killed between the
// commit of a cycle and its line has left none: then it is that of the cycle before.
func LearningBy(costs []Cost, cycle int) float64 {
	seconds := 0.0
	for _, c := range costs {
		if c.Cycle <= cycle {
			seconds = c.Learning
		}
	}
	return seconds
}
