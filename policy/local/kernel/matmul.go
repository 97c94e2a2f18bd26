package kernel

import "fmt"

const (
	// blockK is how many terms are summed in registers before C is updated. It is
	// part of the definition of a product: changing it changes the bits.
	blockK = 256
	// blockM bounds the rows of A that are read again for each panel of B, so
	// that they stay in the second-level cache.
	blockM = 480

	// directRows is the most rows for which copying an untransposed B costs more
	// than it saves.
	directRows = 64

	maxTileRows = 12
	maxTileCols = 32
)

// Scratch is the packing buffer of one goroutine. The zero value is ready to use.
type Scratch struct {
	panel [blockK * maxTileCols]float32      // a panel of op(B): rows of tile width, zero padded
	edge  [maxTileRows * maxTileCols]float32 // a tile that overlaps the right edge of C
}

// NewScratch returns the buffers that one goroutine needs (about 34 KiB).
func NewScratch() *Scratch { return new(Scratch) }

// matrix is a row-major operand as it is stored; trans says that the product
// uses its transpose.
type matrix struct {
	data   []float32
	stride int
	trans  bool
}

// MatMul computes C = op(A)·op(B), or C += op(A)·op(B) if acc, on row-major
// float32 matrices. op(A) is m×k, op(B) is k×n and C is m×n. With transA, A is
// stored k×m; with transB, B is stored n×k. lda, ldb and ldc are the distances
// between the starts of consecutive stored rows, at least a row's length. C must
// not overlap A or B. MatMul panics if a slice or a stride is too short.
//
// A product of few rows by an untransposed B reads B where it lies; a transposed
// B, or one with many rows against it, is copied panel by panel.
func (s *Scratch) MatMul(c []float32, ldc int, a []float32, lda int, transA bool, b []float32, ldb int, transB bool, m, n, k int, acc bool) {
	if m < 0 || n < 0 || k < 0 {
		panic(fmt.Sprintf("kernel: negative size in a product of %d×%d by %d×%d", m, k, k, n))
	}
	checkStored("C", c, ldc, m, n, false)
	checkStored("A", a, lda, m, k, transA)
	checkStored("B", b, ldb, k, n, transB)
	if k == 0 && !acc {
		for i := range m {
			clear(c[i*ldc:][:n])
		}
	}
	if m == 0 || n == 0 || k == 0 {
		return
	}
	for i := 0; i < m; i += blockM {
		rows := min(blockM, m-i)
		for p := 0; p < k; p += blockK {
			depth := min(blockK, k-p)
			ablock := matrix{a, lda, transA}.from(i, p)
			bblock := matrix{b, ldb, transB}.from(p, 0)
			s.block(c[i*ldc:], ldc, ablock, bblock, rows, n, depth, acc || p > 0)
		}
	}
}

// checkStored panics unless a rows×cols operand, transposed or not, lies inside data.
func checkStored(name string, data []float32, stride, rows, cols int, trans bool) {
	if trans {
		rows, cols = cols, rows
	}
	if rows == 0 || cols == 0 {
		return
	}
	if stride < cols {
		panic(fmt.Sprintf("kernel: rows of %s have %d elements but stride %d", name, cols, stride))
	}
	// Divided, not multiplied: no size can overflow its way past the check.
	if len(data) < cols || (len(data)-cols)/stride < rows-1 {
		panic(fmt.Sprintf("kernel: %s has %d elements, too few for %d×%d with stride %d", name, len(data), rows, cols, stride))
	}
}

// from returns the part of op(M) that starts at the given row and column.
func (x matrix) from(row, col int) matrix {
	if x.trans {
		row, col = col, row
	}
	x.data = x.data[row*x.stride+col:]
	return x
}

// steps returns the distances in op(M) from a row to the next and from a column
// to the next.
func (x matrix) steps() (row, col int) {
	if x.trans {
		return 1, x.stride
	}
	return x.stride, 1
}

// block multiplies m rows of A by one k block of B, a panel of columns at a time.
func (s *Scratch) block(c []float32, ldc int, a, b matrix, m, n, k int, acc bool) {
	_, tileCols := active.tileSize()
	direct := !b.trans && m <= directRows
	for j := 0; j < n; j += tileCols {
		cols := min(tileCols, n-j)
		panel, stride := b.from(0, j).data, b.stride
		if !direct || cols < tileCols {
			s.pack(b.from(0, j), k, cols, tileCols)
			panel, stride = s.panel[:], tileCols
		}
		s.columns(c[j:], ldc, a, panel, stride, m, cols, k, acc)
	}
}

// columns computes one panel's columns of C, in tiles of nearly equal height.
func (s *Scratch) columns(c []float32, ldc int, a matrix, panel []float32, stride, m, cols, k int, acc bool) {
	tileRows, tileCols := active.tileSize()
	rowStep, colStep := a.steps()
	i := 0
	for left := (m + tileRows - 1) / tileRows; left > 0; left-- {
		rows := (m - i + left - 1) / left
		if cols == tileCols {
			tile(rows, k, a.data[i*rowStep:], rowStep, colStep, panel, stride, c[i*ldc:], ldc, acc)
		} else {
			tile(rows, k, a.data[i*rowStep:], rowStep, colStep, panel, stride, s.edge[:], tileCols, false)
			s.copyEdge(c[i*ldc:], ldc, rows, cols, tileCols, acc)
		}
		i += rows
	}
}

// copyEdge moves the valid columns of the edge tile to C.
func (s *Scratch) copyEdge(c []float32, ldc, rows, cols, tileCols int, acc bool) {
	for r := range rows {
		dst, src := c[r*ldc:][:cols], s.edge[r*tileCols:][:cols]
		if !acc {
			copy(dst, src)
			continue
		}
		for j, v := range src {
			dst[j] += v
		}
	}
}

// pack copies k rows and cols columns of op(B) into the panel, whose rows are
// width wide and end in zeros.
func (s *Scratch) pack(b matrix, k, cols, width int) {
	if cols < width {
		clear(s.panel[:k*width])
	}
	if b.trans {
		transpose(s.panel[:], width, b.data, b.stride, cols, k)
		return
	}
	if cols == width {
		panel(s.panel[:k*width], width, b.data, b.stride, k)
		return
	}
	for p := range k {
		copy(s.panel[p*width:][:cols], b.data[p*b.stride:])
	}
}
