package store

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"spade"
)

// The event file of TensorBoard is a sequence of TFRecords (tensorflow/core/lib/io/record_writer), each a serialised Event
// (tensorflow/core/util/event.proto): 8 bytes of length, their masked CRC-32C, the data, its masked CRC-32C. Only these
// fields are used:
//
//	Event    wall_time = 1 (double), step = 2 (int64), file_version = 3 (string), summary = 5
//	Summary  value = 1
//	Value    tag = 1 (string), simple_value = 2 (float)
//
// A stored run holds no clock, so the wall time of a cycle is its number, in seconds.

// scalarsHead is the record with which a file of events begins.
func scalarsHead() []byte {
	event := appendDouble(nil, 1, 0)
	event = protowire.AppendTag(event, 3, protowire.BytesType)
	return record(protowire.AppendString(event, "brain.Event:2"))
}

// scalars is the record of the metrics of a cycle, in alphabetical order.
func scalars(c spade.Cycle) []byte {
	metrics := c.Metrics()
	var summary []byte
	for _, name := range slices.Sorted(maps.Keys(metrics)) {
		var value []byte
		value = protowire.AppendTag(value, 1, protowire.BytesType)
		value = protowire.AppendString(value, name)
		value = protowire.AppendTag(value, 2, protowire.Fixed32Type)
		value = protowire.AppendFixed32(value, math.Float32bits(float32(metrics[name])))
		summary = protowire.AppendTag(summary, 1, protowire.BytesType)
		summary = protowire.AppendBytes(summary, value)
	}
	event := appendDouble(nil, 1, float64(c.Number))
	event = protowire.AppendTag(event, 2, protowire.VarintType)
	event = protowire.AppendVarint(event, uint64(c.Number))
	event = protowire.AppendTag(event, 5, protowire.BytesType)
	return record(protowire.AppendBytes(event, summary))
}

func appendDouble(b []byte, field protowire.Number, x float64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(b, field, protowire.Fixed64Type), math.Float64bits(x))
}

// record frames data as a TFRecord.
func record(data []byte) []byte {
	length := binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
	framed := binary.LittleEndian.AppendUint32(length, masked(length))
	framed = append(framed, data...)
	return binary.LittleEndian.AppendUint32(framed, masked(data))
}

// masked is the CRC-32C that TFRecords hold: rotated and shifted, so that the sum of data with sums in it is no sum.
func masked(data []byte) uint32 {
	sum := crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
	return (sum>>15 | sum<<17) + 0xa282ead8
}
