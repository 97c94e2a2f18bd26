package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"google.golang.org/protobuf/proto"
)

// Example is one datum of a forward_backward request: Targets[i] is what should follow Tokens[:i+1]. The other inputs of
// its loss are nil or as long as Targets.
type Example struct {
	Tokens, Targets []int32
	// Weights are those of cross_entropy.
	Weights []float32
	// LogProbs are those of the policy that sampled the targets, Advantages what the targets were worth.
	LogProbs, Advantages []float32
}

// Training is a forward_backward request.
type Training struct {
	ModelID string
	// Seq counts the requests to the model, from 1.
	Seq    int64
	Loss   string
	Config map[string]float64
	// ForwardOnly asks for log-probabilities alone.
	ForwardOnly bool
	Data        []Example
}

// Trained is the result of a forward_backward request.
type Trained struct {
	// LogProbs are those of every target of every example.
	LogProbs [][]float32
	// Metrics are named name:reduction, as loss:sum, which says how those of several requests are merged.
	Metrics map[string]float64
}

// Encode returns the request as a binary message.
func (t *Training) Encode() ([]byte, error) {
	m := &ForwardBackwardRequest{
		ModelId: t.ModelID, SeqId: int32(t.Seq), LossFn: t.Loss, ForwardOnly: t.ForwardOnly,
		LossFnConfig: t.Config, LossFnConfigV2: map[string]*LossConfigValue{},
	}
	for name, v := range t.Config {
		m.LossFnConfigV2[name] = &LossConfigValue{Value: &LossConfigValue_Number{Number: v}}
	}
	for i := range t.Data {
		e := &t.Data[i]
		d := &Datum{
			ModelInput:   []*Chunk{{Chunk: &Chunk_EncodedText{EncodedText: &EncodedTextChunk{Tokens: packInt32(e.Tokens)}}}},
			LossFnInputs: map[string]*Tensor{"target_tokens": tokenTensor(e.Targets)},
		}
		for name, values := range map[string][]float32{"weights": e.Weights, "logprobs": e.LogProbs, "advantages": e.Advantages} {
			if values != nil {
				d.LossFnInputs[name] = floatTensor(values)
			}
		}
		m.Data = append(m.Data, d)
	}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// DecodeTraining reads a binary request. If the error is an Invalid, the model and the place of the request are known.
func DecodeTraining(body []byte) (*Training, error) {
	var m ForwardBackwardRequest
	if err := proto.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("the body is no ForwardBackwardRequest: %w", err)
	}
	t := &Training{ModelID: m.GetModelId(), Seq: int64(m.GetSeqId()), Loss: m.GetLossFn(), Config: m.GetLossFnConfig(),
		ForwardOnly: m.GetForwardOnly()}
	if v2 := m.GetLossFnConfigV2(); len(v2) > 0 {
		t.Config = map[string]float64{}
		for _, name := range slices.Sorted(maps.Keys(v2)) {
			number, ok := v2[name].GetValue().(*LossConfigValue_Number)
			if !ok {
				return t, &Invalid{fmt.Errorf("loss_fn_config: %s is no number", name)}
			}
			t.Config[name] = number.Number
		}
	}
	for i, d := range m.GetData() {
		e, err := decodeDatum(d)
		if err != nil {
			return t, &Invalid{fmt.Errorf("datum %d: %w", i, err)}
		}
		t.Data = append(t.Data, e)
	}
	return t, nil
}

// Invalid says that a request was read, and what of it makes no sense.
type Invalid struct{ Err error }

func (e *Invalid) Error() string { return e.Err.Error() }
func (e *Invalid) Unwrap() error { return e.Err }

func decodeDatum(d *Datum) (Example, error) {
	var tokens []int32
	for _, c := range d.GetModelInput() {
		text, ok := c.GetChunk().(*Chunk_EncodedText)
		if !ok {
			return Example{}, errors.New("model_input: only encoded_text is supported")
		}
		part, err := unpackInt32(text.EncodedText.GetTokens())
		if err != nil {
			return Example{}, fmt.Errorf("model_input: %w", err)
		}
		tokens = append(tokens, part...)
	}
	inputs := map[string][]float64{}
	for name, tensor := range d.GetLossFnInputs() {
		values, err := numbers(tensor)
		if err != nil {
			return Example{}, fmt.Errorf("%s: %w", name, err)
		}
		inputs[name] = values
	}
	return newExample(tokens, inputs)
}

// newExample puts the named inputs of a loss into their places.
func newExample(tokens []int32, inputs map[string][]float64) (Example, error) {
	e := Example{Tokens: tokens}
	targets, ok := inputs["target_tokens"]
	if !ok {
		return e, errors.New("target_tokens is missing")
	}
	var err error
	if e.Targets, err = tokenIDs(targets); err != nil {
		return e, fmt.Errorf("target_tokens: %w", err)
	}
	if len(e.Targets) != len(e.Tokens) {
		return e, fmt.Errorf("%d target_tokens for %d tokens of model_input: each token needs the one that follows it", len(e.Targets), len(e.Tokens))
	}
	for _, name := range slices.Sorted(maps.Keys(inputs)) {
		values := inputs[name]
		if len(values) != len(e.Targets) {
			return e, fmt.Errorf("%d %s for %d target_tokens", len(values), name, len(e.Targets))
		}
		for i, v := range values {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return e, fmt.Errorf("%s[%d] is %v", name, i, v)
			}
		}
		switch name {
		case "target_tokens", "mask": // a mask is the caller's own note: it multiplies nothing
		case "weights":
			e.Weights = narrow(values)
		case "logprobs":
			e.LogProbs = narrow(values)
		case "advantages":
			e.Advantages = narrow(values)
		default:
			return e, fmt.Errorf("the loss input %q is not supported", name)
		}
	}
	return e, nil
}

// jsonTensor is a tensor in JSON.
type jsonTensor struct {
	Data  []float64 `json:"data"`
	DType string    `json:"dtype"`
	Shape []int     `json:"shape"`
	Crow  []int     `json:"sparse_crow_indices"`
}

type jsonDatum struct {
	ModelInput   ModelInput            `json:"model_input"`
	LossFnInputs map[string]jsonTensor `json:"loss_fn_inputs"`
}

// DecodeTrainingJSON reads a request in JSON, which older clients and plain HTTP clients send. If the error is an
// Invalid, the model and the place of the request are known.
func DecodeTrainingJSON(body []byte) (*Training, error) {
	type input struct {
		Data   []jsonDatum        `json:"data"`
		Loss   string             `json:"loss_fn"`
		Config map[string]float64 `json:"loss_fn_config"`
	}
	var m struct {
		ModelID string `json:"model_id"`
		Seq     int64  `json:"seq_id"`
		Both    *input `json:"forward_backward_input"`
		Forward *input `json:"forward_input"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("the body is no forward_backward request: %w", err)
	}
	t := &Training{ModelID: m.ModelID, Seq: m.Seq, ForwardOnly: m.Forward != nil}
	in := m.Both
	if t.ForwardOnly {
		in = m.Forward
	}
	if in == nil {
		return t, &Invalid{errors.New("forward_backward_input is missing")}
	}
	t.Loss, t.Config = in.Loss, in.Config
	for i, d := range in.Data {
		tokens, err := d.ModelInput.Tokens()
		if err != nil {
			return t, &Invalid{fmt.Errorf("datum %d: %w", i, err)}
		}
		inputs := map[string][]float64{}
		for name, tensor := range d.LossFnInputs {
			if tensor.Crow != nil || len(tensor.Shape) > 1 {
				return t, &Invalid{fmt.Errorf("datum %d: %s: only dense tensors of one dimension are supported", i, name)}
			}
			inputs[name] = tensor.Data
		}
		e, err := newExample(tokens, inputs)
		if err != nil {
			return t, &Invalid{fmt.Errorf("datum %d: %w", i, err)}
		}
		t.Data = append(t.Data, e)
	}
	return t, nil
}

// outputType names the form of a result's outputs: arrays by name.
const outputType = "ArrayRecord"

// Encode returns the result as a binary message.
func (t *Trained) Encode() ([]byte, error) {
	m := &ForwardBackwardOutput{LossFnOutputType: outputType, Metrics: t.Metrics}
	var all []float32
	offsets := []int64{0}
	for _, list := range t.LogProbs {
		all = append(all, list...)
		offsets = append(offsets, int64(4*len(all)))
	}
	m.LossFnOutputs = []*ArrayRecord{{TypeTag: outputType, NumDatums: int64(len(t.LogProbs)), Fields: map[string]*BatchedTensor{
		"logprobs": {Data: packFloat32(all), Offsets: packInt64(offsets), Dtype: DType_DTYPE_FLOAT32},
	}}}
	return proto.MarshalOptions{Deterministic: true}.Marshal(m)
}

// JSON returns the result as a value to encode as JSON.
func (t *Trained) JSON() any {
	outputs := []any{}
	for _, list := range t.LogProbs {
		outputs = append(outputs, map[string]any{"logprobs": map[string]any{
			"data": list, "dtype": "float32", "shape": []int{len(list)}}})
	}
	return map[string]any{"loss_fn_output_type": outputType, "loss_fn_outputs": outputs, "metrics": t.Metrics}
}

// DecodeTrained reads a binary result.
func DecodeTrained(body []byte) (*Trained, error) {
	var m ForwardBackwardOutput
	if err := proto.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("the body is no ForwardBackwardOutput: %w", err)
	}
	t := &Trained{Metrics: m.GetMetrics()}
	for _, record := range m.GetLossFnOutputs() {
		field, ok := record.GetFields()["logprobs"]
		if !ok || field.GetDtype() != DType_DTYPE_FLOAT32 {
			return nil, errors.New("a forward_backward result without float32 logprobs")
		}
		offsets, err := unpackInt64(field.GetOffsets())
		if err != nil {
			return nil, fmt.Errorf("offsets: %w", err)
		}
		data := field.GetData()
		for i := 1; i < len(offsets); i++ {
			if offsets[i-1] < 0 || offsets[i] < offsets[i-1] || offsets[i] > int64(len(data)) {
				return nil, fmt.Errorf("offset %d of %d bytes is out of place", offsets[i], len(data))
			}
			list, err := unpackFloat32(data[offsets[i-1]:offsets[i]])
			if err != nil {
				return nil, fmt.Errorf("logprobs: %w", err)
			}
			t.LogProbs = append(t.LogProbs, list)
		}
	}
	return t, nil
}

// DecodeTrainedJSON reads a result in JSON.
func DecodeTrainedJSON(body []byte) (*Trained, error) {
	var m struct {
		Outputs []map[string]jsonTensor `json:"loss_fn_outputs"`
		Metrics map[string]float64      `json:"metrics"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, fmt.Errorf("the body is no forward_backward result: %w", err)
	}
	t := &Trained{Metrics: m.Metrics}
	for i, output := range m.Outputs {
		tensor, ok := output["logprobs"]
		if !ok {
			return nil, fmt.Errorf("output %d has no logprobs", i)
		}
		t.LogProbs = append(t.LogProbs, narrow(tensor.Data))
	}
	return t, nil
}
