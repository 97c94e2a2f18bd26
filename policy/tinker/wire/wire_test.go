package wire

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"
)

func TestTrainingTravels(t *testing.T) {
	want := &Training{ModelID: "s:train:0", Seq: 7, Loss: "ppo", Config: map[string]float64{"clip_low_threshold": 0.8, "clip_high_threshold": 1.28},
		Data: []Example{
			{Tokens: []int32{1, 2, 70000}, Targets: []int32{2, 70000, 3}, LogProbs: []float32{0, -0.5, -1e-7}, Advantages: []float32{0, 1, -2}},
			{Tokens: []int32{5}, Targets: []int32{6}, Weights: []float32{0.25}},
		}}
	body, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTraining(body)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	again, err := got.Encode()
	if err != nil || string(again) != string(body) {
		t.Errorf("the same request has other bytes, %v", err)
	}
}

// TestTrainingInJSON reads what older clients and people with curl send.
func TestTrainingInJSON(t *testing.T) {
	const body = `{"model_id":"M","seq_id":1,"forward_backward_input":{"loss_fn":"importance_sampling","loss_fn_config":null,
		"data":[{"model_input":{"chunks":[{"type":"encoded_text","tokens":[5,6]},{"tokens":[7]}]},"loss_fn_inputs":{
		"target_tokens":{"data":[6,7,8],"dtype":"int64","shape":[3]},
		"logprobs":{"data":[0,-0.75,-1.25],"dtype":"float32","shape":[3]},
		"advantages":{"data":[0,1.0,1.0],"dtype":"float32","shape":[3]},"mask":{"data":[0,1,1],"dtype":"float32"}}}]}}`
	got, err := DecodeTrainingJSON([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := &Training{ModelID: "M", Seq: 1, Loss: "importance_sampling", Data: []Example{{Tokens: []int32{5, 6, 7}, Targets: []int32{6, 7, 8},
		LogProbs: []float32{0, -0.75, -1.25}, Advantages: []float32{0, 1, 1}}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	forward, err := DecodeTrainingJSON([]byte(`{"model_id":"M","seq_id":2,"forward_input":{"loss_fn":"cross_entropy","data":[]}}`))
	if err != nil || !forward.ForwardOnly {
		t.Errorf("read %+v, %v", forward, err)
	}
}

// TestInvalidTraining: a request that makes no sense says so, and still says whose it is.
func TestInvalidTraining(t *testing.T) {
	good := func() *ForwardBackwardRequest {
		return &ForwardBackwardRequest{ModelId: "M", SeqId: 3, LossFn: "cross_entropy", Data: []*Datum{{
			ModelInput:   []*Chunk{{Chunk: &Chunk_EncodedText{EncodedText: &EncodedTextChunk{Tokens: packInt32([]int32{1, 2})}}}},
			LossFnInputs: map[string]*Tensor{"target_tokens": tokenTensor([]int32{2, 3}), "weights": floatTensor([]float32{0, 1})},
		}}}
	}
	for name, spoil := range map[string]func(*ForwardBackwardRequest){
		"a text in the configuration": func(m *ForwardBackwardRequest) {
			m.LossFnConfigV2 = map[string]*LossConfigValue{"a": {Value: &LossConfigValue_Text{Text: "b"}}}
		},
		"an image": func(m *ForwardBackwardRequest) {
			m.Data[0].ModelInput[0].Chunk = &Chunk_Image{Image: &ImageChunk{}}
		},
		"tokens of three bytes": func(m *ForwardBackwardRequest) {
			m.Data[0].ModelInput[0].GetEncodedText().Tokens = []byte{1, 2, 3}
		},
		"no targets":        func(m *ForwardBackwardRequest) { delete(m.Data[0].LossFnInputs, "target_tokens") },
		"too few targets":   func(m *ForwardBackwardRequest) { m.Data[0].LossFnInputs["target_tokens"] = tokenTensor([]int32{2}) },
		"a negative target": func(m *ForwardBackwardRequest) { m.Data[0].LossFnInputs["target_tokens"] = tokenTensor([]int32{2, -1}) },
		"too few weights":   func(m *ForwardBackwardRequest) { m.Data[0].LossFnInputs["weights"] = floatTensor([]float32{1}) },
		"an infinite weight": func(m *ForwardBackwardRequest) {
			m.Data[0].LossFnInputs["weights"] = floatTensor([]float32{1, float32(math.Inf(1))})
		},
		"an unknown input": func(m *ForwardBackwardRequest) { m.Data[0].LossFnInputs["values"] = floatTensor([]float32{1, 1}) },
		"a sparse tensor": func(m *ForwardBackwardRequest) {
			m.Data[0].LossFnInputs["weights"].Encoding = &Tensor_SparseCsr{SparseCsr: &SparseCsr{}}
		},
		"two dimensions":    func(m *ForwardBackwardRequest) { m.Data[0].LossFnInputs["weights"].Shape = []int64{1, 2} },
		"the wrong shape":   func(m *ForwardBackwardRequest) { m.Data[0].LossFnInputs["weights"].Shape = []int64{3} },
		"an unknown number": func(m *ForwardBackwardRequest) { m.Data[0].LossFnInputs["weights"].Dtype = DType_DTYPE_BFLOAT16 },
	} {
		m := good()
		spoil(m)
		body := mustMarshal(t, m)
		got, err := DecodeTraining(body)
		if _, ok := err.(*Invalid); !ok {
			t.Errorf("%s: %v, want Invalid", name, err)
			continue
		}
		if got == nil || got.ModelID != "M" || got.Seq != 3 {
			t.Errorf("%s: read %+v", name, got)
		}
	}
	if _, err := DecodeTraining(mustMarshal(t, good())); err != nil {
		t.Error(err)
	}
	if got, err := DecodeTraining([]byte("not a message")); err == nil {
		t.Errorf("noise is read as %+v", got)
	}
}

func TestTrainedTravels(t *testing.T) {
	want := &Trained{LogProbs: [][]float32{{-1, -2.5}, {-0.25}, {-3, -4, -5}}, Metrics: map[string]float64{"loss:sum": 1.5}}
	body, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrained(body)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v", got, err)
	}
	text, err := json.Marshal(want.JSON())
	if err != nil {
		t.Fatal(err)
	}
	if got, err = DecodeTrainedJSON(text); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, %v", got, err)
	}
}

func TestSamplesTravel(t *testing.T) {
	want := &Samples{Sequences: []Sampled{{[]int32{1, 2}, []float32{-0.5, -1}, false}, {[]int32{9}, []float32{0}, true}},
		PromptLogProbs: []float32{float32(math.NaN()), -2}}
	body, err := want.Encode()
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(want.JSON())
	if err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func() (*Samples, error){
		"binary": func() (*Samples, error) { return DecodeSamples(body) },
		"JSON":   func() (*Samples, error) { return DecodeSamplesJSON(text) },
	} {
		got, err := read()
		if err != nil || !reflect.DeepEqual(got.Sequences, want.Sequences) {
			t.Fatalf("%s: read %+v, %v", name, got, err)
		}
		if p := got.PromptLogProbs; len(p) != 2 || !math.IsNaN(float64(p[0])) || p[1] != -2 {
			t.Errorf("%s: prompt log-probabilities %v", name, p)
		}
	}
}

func TestStop(t *testing.T) {
	for text, want := range map[string]Stop{
		`"end"`: {Texts: []string{"end"}}, `["a","b"]`: {Texts: []string{"a", "b"}}, `[1,2]`: {Tokens: []int32{1, 2}}, `[]`: {Tokens: []int32{}},
	} {
		var got Stop
		if err := json.Unmarshal([]byte(text), &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	var s Stop
	if err := json.Unmarshal([]byte(`{"a":1}`), &s); err == nil {
		t.Errorf("an object is %+v", s)
	}
}

// FuzzDecode: no body makes a reader panic or ask for memory that is out of proportion.
func FuzzDecode(f *testing.F) {
	training := &Training{ModelID: "M", Seq: 1, Loss: "ppo", Data: []Example{{Tokens: []int32{1}, Targets: []int32{2}, Weights: []float32{1}}}}
	trained := &Trained{LogProbs: [][]float32{{-1}, {-2, -3}}}
	samples := &Samples{Sequences: []Sampled{{[]int32{1}, []float32{-1}, true}}}
	for _, encode := range []func() ([]byte, error){training.Encode, trained.Encode, samples.Encode} {
		body, err := encode()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if got, err := DecodeTraining(body); err == nil {
			for _, e := range got.Data {
				if len(e.Targets) != len(e.Tokens) {
					t.Errorf("an example of %d tokens and %d targets", len(e.Tokens), len(e.Targets))
				}
			}
		}
		DecodeTrained(body)
		DecodeSamples(body)
		DecodeTrainingJSON(body)
		DecodeTrainedJSON(body)
		DecodeSamplesJSON(body)
	})
}
