package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
)

// Frames are a 4-byte big-endian length and that many bytes of JSON.

const (
	headerSize  = 4
	frameBuffer = 4 << 10
)

// readFrame reads one frame of at most limit bytes into buffer or, where that is too small, a larger one. Memory is
// used as bytes arrive, not as the header promises.
func readFrame(r io.Reader, buffer []byte, limit int) ([]byte, error) {
	buffer = buffer[:0]
	for {
		if size, known := frameSize(buffer); known {
			if size > limit {
				return nil, errFrameSize{size, limit}
			}
			if have := len(buffer) - headerSize; have == size {
				return buffer[headerSize:], nil
			} else if have > size {
				return nil, errUnasked
			}
		}
		if len(buffer) == cap(buffer) {
			buffer = slices.Grow(buffer, max(frameBuffer, len(buffer)))
		}
		n, err := r.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if err != nil {
			return nil, err
		}
	}
}

func frameSize(buffer []byte) (size int, known bool) {
	if len(buffer) < headerSize {
		return 0, false
	}
	return int(binary.BigEndian.Uint32(buffer)), true
}

// violation is an answer that no harness of ours gives.
type violation string

func (v violation) Error() string { return string(v) }

const errUnasked = violation("the process spoke without being asked")

type errFrameSize struct{ size, limit int }

func (e errFrameSize) Error() string {
	return fmt.Sprintf("the answer has %d bytes; %d are allowed", e.size, e.limit)
}
