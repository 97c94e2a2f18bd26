package local

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"spade"
)

func savedPolicy(t *testing.T) (*Policy, string) {
	t.Helper()
	p, dir := testPolicy(t, 1), filepath.Join(t.TempDir(), "checkpoint")
	if _, err := p.Train(context.Background(), testBatch(&p.model.config, 4)); err != nil {
		t.Fatal(err)
	}
	if err := p.Save(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	return p, dir
}

func TestSaveGivesEqualBytes(t *testing.T) {
	p, a := savedPolicy(t)
	b := t.TempDir()
	if err := p.Save(context.Background(), b); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(a)
	if err != nil || len(files) != 5 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, f := range files {
		x, _ := os.ReadFile(filepath.Join(a, f.Name()))
		y, _ := os.ReadFile(filepath.Join(b, f.Name()))
		if !bytes.Equal(x, y) || len(x) == 0 {
			t.Errorf("%s differs between two saves of %d and %d bytes", f.Name(), len(x), len(y))
		}
	}
}

func TestLoadGivesTheModelBack(t *testing.T) {
	p, dir := savedPolicy(t)
	m, tokenizer, err := Load(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	if m.config != p.model.config || !reflect.DeepEqual(m.weights.flat, p.model.weights.flat) {
		t.Error("the model that was loaded is not the one that was saved")
	}
	if same, err := equalTokenizers(tokenizer, p.format.tokenizer); !same || err != nil {
		t.Errorf("the tokenizer differs, %v", err)
	}
}

// TestTensorsAreNamedAsPublished pins the names, shapes and orientation that Hugging Face transformers expects.
func TestTensorsAreNamedAsPublished(t *testing.T) {
	c := Config{VocabSize: 5, HiddenSize: 4, IntermediateSize: 3, Layers: 1, Heads: 2, KVHeads: 1, HeadDim: 2,
		Context: 8, RopeTheta: 10000, NormEpsilon: 1e-6}
	w := newWeights(&c, make([]float32, c.parameters()))
	for i := range w.flat {
		w.flat[i] = float32(i)
	}
	want := map[string][]int{
		"model.embed_tokens.weight":                      {5, 4},
		"model.layers.0.input_layernorm.weight":          {4},
		"model.layers.0.mlp.down_proj.weight":            {4, 3},
		"model.layers.0.mlp.gate_proj.weight":            {3, 4},
		"model.layers.0.mlp.up_proj.weight":              {3, 4},
		"model.layers.0.post_attention_layernorm.weight": {4},
		"model.layers.0.self_attn.k_norm.weight":         {2},
		"model.layers.0.self_attn.k_proj.weight":         {2, 4},
		"model.layers.0.self_attn.o_proj.weight":         {4, 4},
		"model.layers.0.self_attn.q_norm.weight":         {2},
		"model.layers.0.self_attn.q_proj.weight":         {4, 4},
		"model.layers.0.self_attn.v_proj.weight":         {2, 4},
		"model.norm.weight":                              {4},
	}
	seen := map[float32]bool{}
	for _, tensor := range w.tensors(&c) {
		if !reflect.DeepEqual(tensor.shape(), want[tensor.name]) {
			t.Errorf("%s has shape %v, want %v", tensor.name, tensor.shape(), want[tensor.name])
		}
		delete(want, tensor.name)
		for _, v := range tensor.values() {
			if seen[v] {
				t.Errorf("%s: weight %v is in two tensors", tensor.name, v)
			}
			seen[v] = true
		}
		// The row of an output component holds the fused matrix's column.
		if tensor.name == "model.layers.0.self_attn.k_proj.weight" {
			column := c.queryWidth() + 1
			for j, v := range tensor.values()[4:8] {
				if v != w.blocks[0].qkv[j*c.fusedWidth()+column] {
					t.Errorf("component 1 of the keys reads %v from input %d", v, j)
				}
			}
		}
	}
	if len(want) > 0 || len(seen) != c.parameters() {
		t.Errorf("tensors %v are missing; %d weights of %d are in one", want, len(seen), c.parameters())
	}
}

// editHeader rewrites the header of a safetensors file.
func editHeader(t *testing.T, data []byte, edit func(header map[string]any)) []byte {
	t.Helper()
	n := binary.LittleEndian.Uint64(data)
	var header map[string]any
	if err := json.Unmarshal(data[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	edit(header)
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(out, text...), data[8+n:]...)
}

func TestDamagedCheckpointsAreRefused(t *testing.T) {
	const query = "model.layers.0.self_attn.q_proj.weight"
	tests := map[string]struct {
		file  string
		edit  func(t *testing.T, data []byte) []byte
		wants []string
	}{
		"missing weights":   {weightsFile, nil, []string{weightsFile}},
		"missing tokenizer": {tokenizerFile, nil, []string{tokenizerFile}},
		"empty":             {weightsFile, func(*testing.T, []byte) []byte { return nil }, []string{weightsFile, "shorter"}},
		"no safetensors":    {weightsFile, func(*testing.T, []byte) []byte { return []byte(strings.Repeat("z", 100)) }, []string{weightsFile, "too long"}},
		"cut header":        {weightsFile, func(_ *testing.T, d []byte) []byte { return d[:40] }, []string{weightsFile, "header is cut off"}},
		"cut data":          {weightsFile, func(_ *testing.T, d []byte) []byte { return d[:len(d)-1] }, []string{weightsFile, "cut off"}},
		"more data":         {weightsFile, func(_ *testing.T, d []byte) []byte { return append(d, 0) }, []string{weightsFile, "longer"}},
		"not a number": {weightsFile, func(_ *testing.T, d []byte) []byte {
			copy(d[len(d)-4:], []byte{0, 0, 0xc0, 0x7f})
			return d
		}, []string{weightsFile, "model.norm.weight", "NaN"}},
		"lacks a tensor": {weightsFile, func(t *testing.T, d []byte) []byte {
			return editHeader(t, d, func(h map[string]any) { delete(h, query) })
		}, []string{weightsFile, query, "missing"}},
		"unknown tensor": {weightsFile, func(t *testing.T, d []byte) []byte {
			return editHeader(t, d, func(h map[string]any) { h["extra"] = h[query] })
		}, []string{weightsFile, "extra"}},
		"wrong shape": {weightsFile, func(t *testing.T, d []byte) []byte {
			return editHeader(t, d, func(h map[string]any) { h[query].(map[string]any)["shape"] = []int{1, 2} })
		}, []string{weightsFile, query, "[1 2]"}},
		"wrong type": {weightsFile, func(t *testing.T, d []byte) []byte {
			return editHeader(t, d, func(h map[string]any) { h[query].(map[string]any)["dtype"] = "BF16" })
		}, []string{weightsFile, query, "BF16"}},
		"wrong offsets": {weightsFile, func(t *testing.T, d []byte) []byte {
			return editHeader(t, d, func(h map[string]any) {
				h[query].(map[string]any)["data_offsets"] = []uint64{1 << 63, 1<<63 + 8}
			})
		}, []string{weightsFile, query, "offsets"}},
		"overlapping tensors": {weightsFile, func(t *testing.T, d []byte) []byte {
			return editHeader(t, d, func(h map[string]any) {
				h["model.layers.0.mlp.up_proj.weight"] = h["model.layers.0.mlp.gate_proj.weight"]
			})
		}, []string{weightsFile, "no tensor begins"}},
		"other architecture": {configFile, func(_ *testing.T, d []byte) []byte {
			return bytes.Replace(d, []byte(`"qwen3"`), []byte(`"llama"`), 1)
		}, []string{configFile, "llama"}},
		"impossible shape": {configFile, func(_ *testing.T, d []byte) []byte {
			return bytes.Replace(d, []byte(`"num_key_value_heads": 2`), []byte(`"num_key_value_heads": 3`), 1)
		}, []string{configFile, "num_key_value_heads"}},
		"other size": {configFile, func(_ *testing.T, d []byte) []byte {
			return bytes.Replace(d, []byte(`"hidden_size": 32`), []byte(`"hidden_size": 34`), 1)
		}, []string{weightsFile, "shape"}},
		"steps": {optimizerFile, func(t *testing.T, d []byte) []byte {
			return editHeader(t, d, func(h map[string]any) { h[metadataKey] = map[string]string{stepsKey: "-1"} })
		}, []string{optimizerFile, "steps"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p, dir := savedPolicy(t)
			path := filepath.Join(dir, test.file)
			if test.edit == nil {
				if err := os.Remove(path); err != nil {
					t.Fatal(err)
				}
			} else {
				data, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, test.edit(t, data), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			before := append([]float32(nil), p.model.weights.flat...)
			err := p.Restore(context.Background(), dir)
			var boundary *spade.Error
			if !errors.As(err, &boundary) || boundary.Boundary != spade.ByStore || boundary.Next == "" {
				t.Fatalf("got error %v, want one of the store that says what to do", err)
			}
			for _, want := range test.wants {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
			if !reflect.DeepEqual(before, p.model.weights.flat) || p.Version() != 1 {
				t.Error("a failed Restore changed the policy")
			}
		})
	}
}

func TestSaveReportsWhatFails(t *testing.T) {
	p := testPolicy(t, 1)
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	err := p.Save(context.Background(), filepath.Join(path, "checkpoint"))
	var boundary *spade.Error
	if !errors.As(err, &boundary) || boundary.Boundary != spade.ByStore {
		t.Errorf("saving below a file gives %v", err)
	}
}

func TestRestoreWithoutOptimizerStartsAfresh(t *testing.T) {
	p, dir := savedPolicy(t)
	if err := os.Remove(filepath.Join(dir, optimizerFile)); err != nil {
		t.Fatal(err)
	}
	if err := p.Restore(context.Background(), dir); err != nil {
		t.Fatal(err)
	}
	p.optimizer.allocate()
	if p.Version() != 0 || norm(p.optimizer.first.flat) != 0 {
		t.Errorf("version %d and moments of norm %v, want none", p.Version(), norm(p.optimizer.first.flat))
	}
}

func FuzzReadTensors(f *testing.F) {
	c := tinyConfig()
	w := newWeights(&c, make([]float32, c.parameters()))
	var file bytes.Buffer
	if err := writeTensors(&file, w.tensors(&c), map[string]string{"format": "pt"}); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		w := newWeights(&c, make([]float32, c.parameters()))
		if _, err := readTensors(bytes.NewReader(data), w.tensors(&c)); err != nil {
			return
		}
		for _, v := range w.flat {
			if v != v {
				t.Fatal("a tensor that was read holds NaN")
			}
		}
	})
}
