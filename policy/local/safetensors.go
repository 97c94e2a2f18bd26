package local

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

// maxHeader bounds the header of a safetensors file, in bytes.
const maxHeader = 16 << 20

// headerEntry describes one tensor of a safetensors file.
type headerEntry struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

const metadataKey = "__metadata__"

func (t *tensor) shape() []int {
	if t.columns == 0 {
		return []int{t.rows}
	}
	return []int{t.rows, t.columns}
}

func (t *tensor) bytes() uint64 { return 4 * uint64(t.rows) * uint64(max(t.columns, 1)) }

// writeTensors writes a safetensors file: the length of the header (8 bytes, little endian), the header (JSON,
// padded with spaces to a multiple of 8), and the data, float32 little endian, row by row. Equal tensors and
// metadata give equal bytes.
func writeTensors(w io.Writer, tensors []tensor, metadata map[string]string) error {
	header := map[string]any{metadataKey: metadata}
	var offset uint64
	for i := range tensors {
		t := &tensors[i]
		header[t.name] = headerEntry{DType: "F32", Shape: t.shape(), Offsets: [2]uint64{offset, offset + t.bytes()}}
		offset += t.bytes()
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	text = append(text, strings.Repeat(" ", -len(text)&7)...)
	out := bufio.NewWriterSize(w, 1<<16)
	if err := binary.Write(out, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := out.Write(text); err != nil {
		return err
	}
	var word [4]byte
	for i := range tensors {
		for _, v := range tensors[i].values() {
			binary.LittleEndian.PutUint32(word[:], math.Float32bits(v))
			if _, err := out.Write(word[:]); err != nil {
				return err
			}
		}
	}
	return out.Flush()
}

// readTensors fills tensors from a safetensors file, which must hold exactly these, as F32 and in their
// shapes, without gaps, and finite. It returns the file's metadata.
func readTensors(r io.Reader, tensors []tensor) (map[string]string, error) {
	header, metadata, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	byName := make(map[string]*tensor, len(tensors))
	var size uint64
	for i := range tensors {
		byName[tensors[i].name] = &tensors[i]
		size += tensors[i].bytes()
	}
	for name := range header {
		if byName[name] == nil {
			return nil, fmt.Errorf("it holds the tensor %q, which this model does not have", name)
		}
	}
	for i := range tensors {
		t := &tensors[i]
		if err := checkEntry(t, header, size); err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.name, err)
		}
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(r, data); err != nil {
		return nil, fmt.Errorf("its data are cut off: want %d bytes", size)
	}
	if n, _ := io.ReadFull(r, make([]byte, 1)); n != 0 {
		return nil, fmt.Errorf("it is longer than its header says")
	}
	covered := make(map[uint64]uint64, len(tensors))
	for i := range tensors {
		t := &tensors[i]
		e := header[t.name]
		covered[e.Offsets[0]] = e.Offsets[1]
		values, err := decodeFloats(data[e.Offsets[0]:e.Offsets[1]])
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", t.name, err)
		}
		t.set(values)
	}
	for at := uint64(0); at < size; {
		next, ok := covered[at]
		if !ok {
			return nil, fmt.Errorf("no tensor begins at byte %d of its data", at)
		}
		at = next
	}
	return metadata, nil
}

func readHeader(r io.Reader) (map[string]headerEntry, map[string]string, error) {
	var length uint64
	if err := binary.Read(r, binary.LittleEndian, &length); err != nil {
		return nil, nil, errors.New("it is shorter than a header")
	}
	if length > maxHeader {
		return nil, nil, fmt.Errorf("its header of %d bytes is too long, or this is no safetensors file", length)
	}
	text := make([]byte, length)
	if _, err := io.ReadFull(r, text); err != nil {
		return nil, nil, errors.New("its header is cut off")
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, nil, fmt.Errorf("its header is not JSON: %w", err)
	}
	header, metadata := make(map[string]headerEntry, len(raw)), map[string]string{}
	for name, value := range raw {
		if name == metadataKey {
			if err := json.Unmarshal(value, &metadata); err != nil {
				return nil, nil, fmt.Errorf("its metadata: %w", err)
			}
			continue
		}
		var e headerEntry
		if err := json.Unmarshal(value, &e); err != nil {
			return nil, nil, fmt.Errorf("header of tensor %q: %w", name, err)
		}
		header[name] = e
	}
	return header, metadata, nil
}

// checkEntry compares what the header says of t with t. size is the length of the data.
func checkEntry(t *tensor, header map[string]headerEntry, size uint64) error {
	e, ok := header[t.name]
	want := t.shape()
	switch {
	case !ok:
		return errors.New("missing")
	case e.DType != "F32":
		return fmt.Errorf("its type is %s, want F32", e.DType)
	case fmt.Sprint(e.Shape) != fmt.Sprint(want):
		return fmt.Errorf("its shape is %v, want %v", e.Shape, want)
	case e.Offsets[0] > size || e.Offsets[1] > size || e.Offsets[0]+t.bytes() != e.Offsets[1]:
		return fmt.Errorf("its data offsets %v do not fit its shape", e.Offsets)
	}
	return nil
}

func decodeFloats(data []byte) ([]float32, error) {
	values := make([]float32, len(data)/4)
	for i := range values {
		v := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("element %d is %v", i, v)
		}
		values[i] = v
	}
	return values, nil
}
