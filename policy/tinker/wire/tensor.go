package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Tensors of one dimension, as the protocol packs them.

func packInt32(values []int32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, uint32(v))
	}
	return b
}

func unpackInt32(b []byte) ([]int32, error) {
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of int32", len(b))
	}
	values := make([]int32, len(b)/4)
	for i := range values {
		values[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return values, nil
}

func packFloat32(values []float32) []byte {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return b
}

func unpackFloat32(b []byte) ([]float32, error) {
	bits, err := unpackInt32(b)
	if err != nil {
		return nil, err
	}
	values := make([]float32, len(bits))
	for i, v := range bits {
		values[i] = math.Float32frombits(uint32(v))
	}
	return values, nil
}

func packInt64(values []int64) []byte {
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, uint64(v))
	}
	return b
}

func unpackInt64(b []byte) ([]int64, error) {
	if len(b)%8 != 0 {
		return nil, fmt.Errorf("%d bytes are no whole number of int64", len(b))
	}
	values := make([]int64, len(b)/8)
	for i := range values {
		values[i] = int64(binary.LittleEndian.Uint64(b[8*i:]))
	}
	return values, nil
}

// numbers returns the elements of a dense tensor of one dimension, whatever their type.
func numbers(t *Tensor) ([]float64, error) {
	if t.GetSparseCsr() != nil || len(t.GetShape()) > 1 {
		return nil, fmt.Errorf("only dense tensors of one dimension are supported, not of shape %v", t.GetShape())
	}
	var values []float64
	switch t.GetDtype() {
	case DType_DTYPE_FLOAT32:
		list, err := unpackFloat32(t.GetDense())
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			values = append(values, float64(v))
		}
	case DType_DTYPE_INT64:
		list, err := unpackInt64(t.GetDense())
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			values = append(values, float64(v))
		}
	case DType_DTYPE_INT32:
		list, err := unpackInt32(t.GetDense())
		if err != nil {
			return nil, err
		}
		for _, v := range list {
			values = append(values, float64(v))
		}
	default:
		return nil, fmt.Errorf("a tensor of type %v", t.GetDtype())
	}
	if n := t.GetShape(); len(n) == 1 && n[0] != int64(len(values)) {
		return nil, fmt.Errorf("a tensor of shape %v holds %d numbers", n, len(values))
	}
	return values, nil
}

func floatTensor(values []float32) *Tensor {
	return &Tensor{Encoding: &Tensor_Dense{Dense: packFloat32(values)}, Dtype: DType_DTYPE_FLOAT32, Shape: []int64{int64(len(values))}}
}

func tokenTensor(values []int32) *Tensor {
	wide := make([]int64, len(values))
	for i, v := range values {
		wide[i] = int64(v)
	}
	return &Tensor{Encoding: &Tensor_Dense{Dense: packInt64(wide)}, Dtype: DType_DTYPE_INT64, Shape: []int64{int64(len(values))}}
}

// tokenIDs narrows numbers to token ids.
func tokenIDs(values []float64) ([]int32, error) {
	ids := make([]int32, len(values))
	for i, v := range values {
		if v != math.Trunc(v) || v < 0 || v > math.MaxInt32 {
			return nil, fmt.Errorf("token %d is %v", i, v)
		}
		ids[i] = int32(v)
	}
	return ids, nil
}

func narrow(values []float64) []float32 {
	list := make([]float32, len(values))
	for i, v := range values {
		list[i] = float32(v)
	}
	return list
}
