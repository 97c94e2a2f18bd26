package spade

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
)

// TrainingSeeds bounds the seeds of environments that training plays on: they are in [0, TrainingSeeds). Seeds of
// held-out suites lie above.
const TrainingSeeds = 1 << 31

// Stream returns the random stream with the given name. Every draw of a run comes from a stream named by the
// run's seed, the cycle, the slot and the purpose, never from a shared generator, so that a resumed run or a
// re-ordered schedule draws the same numbers. Streams of different names are independent for all practical
// purposes: the state is the SHA-256 of the name. A stream is not safe for concurrent use.
func Stream(seed uint64, cycle, slot int, purpose string) *rand.Rand {
	name := fmt.Sprintf("spade/1/%d/%d/%d/%s", seed, cycle, slot, purpose)
	sum := sha256.Sum256([]byte(name))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}
