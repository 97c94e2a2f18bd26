package local

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// shape is what differs between the sizes of the embedded model.
type shape struct {
	name                                   string
	hidden, intermediate, layers, heads, d int
}

// shapes are named after their millions of parameters with the library's vocabulary.
var shapes = []shape{
	{"0.3M", 64, 176, 4, 4, 16},
	{"1M", 128, 352, 4, 4, 32},
	{"3M", 192, 576, 6, 6, 32},
}

// Sizes returns the names of the sizes that ConfigOfSize knows, the smallest first.
func Sizes() []string {
	names := make([]string, len(shapes))
	for i, s := range shapes {
		names[i] = s.name
	}
	return names
}

// ConfigOfSize returns the shape of the named size for a vocabulary of the given size, "" standing for the shipped
// model's.
func ConfigOfSize(vocabSize int, size string) (Config, error) {
	c := DefaultConfig(vocabSize)
	if size == "" {
		return c, nil
	}
	i := slices.IndexFunc(shapes, func(s shape) bool { return s.name == size })
	if i < 0 {
		return Config{}, fmt.Errorf("there is no size %q: choose one of %s", size, strings.Join(Sizes(), ", "))
	}
	s := shapes[i]
	c.HiddenSize, c.IntermediateSize, c.Layers, c.Heads, c.HeadDim = s.hidden, s.intermediate, s.layers, s.heads, s.d
	return c, nil
}

// BySize orders names of sizes as ConfigOfSize takes them, "" among them, by the number of parameters.
func BySize(a, b string) int { return cmp.Compare(sizeOf(a), sizeOf(b)) }

// sizeOf is the number of parameters of a size with a vocabulary of the library's order, 0 where there is none.
func sizeOf(size string) int {
	c, err := ConfigOfSize(1500, size)
	if err != nil {
		return 0
	}
	return c.parameters()
}
