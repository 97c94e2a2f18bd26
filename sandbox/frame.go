package sandbox

import (
	"encoding/binary"
	"fmt"
	"io"
)

// Frames are a 4-byte big-endian length and that many bytes of JSON.

const (
	headerSize  = 4
	frameBuffer = 4 << 10
)

// Answers under way are held in our memory, and environments decide how long they are. Those of up to freeFrame bytes,
// which is nearly all, are bounded by the number of processes; all longer ones together are held in heldLimit bytes.
const (
	freeFrame = 256 << 10
	heldLimit = 128 << 20
	// heldFactor is how often an answer is in memory: as a frame and as the texts that were read from it.
	heldFactor = 2
)

// readFrame reads one frame of at most limit bytes into buffer or, where that is too small, a larger one. Memory is
// used as bytes arrive, not as the header promises; before it is more than freeFrame, reserve is called with the
// size of the whole.
func readFrame(r io.Reader, buffer []byte, limit int, reserve func(size int) error) ([]byte, error) {
	buffer = buffer[:0]
	for {
		size, known := frameSize(buffer)
		if known {
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
			larger := min(max(frameBuffer, 2*len(buffer)), headerSize+size)
			if larger > freeFrame {
				larger = headerSize + size
				if err := reserve(size); err != nil {
					return nil, err
				}
			}
			buffer = append(make([]byte, 0, larger), buffer...)
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
