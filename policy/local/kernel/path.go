package kernel

// path is a family of kernels for one instruction set.
type path int

const (
	portable path = iota
	avx2
	avx512
)

// active is the path that every call takes. Only tests change it.
var active = detect()

// Path names the kernels that run on this machine: "avx512", "avx2" or "go".
func Path() string { return active.String() }

func (p path) String() string {
	switch p {
	case avx512:
		return "avx512"
	case avx2:
		return "avx2"
	}
	return "go"
}

// tileSize is the largest block of C that one call of tile computes.
func (p path) tileSize() (rows, cols int) {
	switch p {
	case avx512:
		return 12, 32
	case avx2:
		return 6, 16
	}
	return 4, 4
}
