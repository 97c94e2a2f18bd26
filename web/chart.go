package web

import (
	"slices"
	"sync"
)

// chart is the layout of the map of one run. Sources are read and placed in the background; those who ask meanwhile get
// what there is.
type chart struct {
	project func(sources []string) [][2]float64

	mu      sync.Mutex
	busy    bool
	version int // of the index that points were made for
	points  [][2]float64
}

// answer returns the places of the environments of an index, and starts the work on those that have none yet.
func (c *chart) answer(x *index) mapAnswer {
	x.mu.Lock()
	version, envs := x.version, slices.Clone(x.envs)
	x.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	a := mapAnswer{Ready: c.version == version, X: []float64{}, Y: []float64{}}
	for _, p := range c.points {
		a.X, a.Y = append(a.X, p[0]), append(a.Y, p[1])
	}
	if !a.Ready && !c.busy && c.project != nil {
		c.busy = true
		go c.lay(x, version, envs)
	}
	return a
}

// lay places environments. One whose source cannot be read lies where an empty one would.
func (c *chart) lay(x *index, version int, envs []*envRow) {
	sources := make([]string, len(envs))
	for i, e := range envs {
		if env, err := x.run.Environment(e.env.ID); err == nil {
			sources[i] = env.Source
		}
	}
	points := c.project(sources)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.points = aligned(points, c.points)
	c.version, c.busy = version, false
}

// aligned turns points over, axis by axis, so that those that were placed before stay on their side.
func aligned(points, before [][2]float64) [][2]float64 {
	for axis := range 2 {
		var along float64
		for i := range min(len(points), len(before)) {
			along += points[i][axis] * before[i][axis]
		}
		if along < 0 {
			for i := range points {
				points[i][axis] = -points[i][axis]
			}
		}
	}
	return points
}
