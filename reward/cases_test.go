package reward

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"testing"

	"spade"
)

func TestExplainAdvantagesCases(t *testing.T) {
	folders, err := os.ReadDir("testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	if len(folders) != 4 {
		t.Fatalf("%d cases, want 4", len(folders))
	}
	for _, folder := range folders {
		t.Run(folder.Name(), func(t *testing.T) {
			var want struct {
				Expected  any     `json:"expected"`
				Tolerance float64 `json:"tolerance"`
			}
			if err := json.Unmarshal(read(t, "testdata/cases", folder.Name(), "expected.json"), &want); err != nil {
				t.Fatal(err)
			}
			output, err := ExplainAdvantages(read(t, "testdata/cases", folder.Name(), "input.json"))
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(output, &got); err != nil {
				t.Fatal(err)
			}
			if err := alike(got, want.Expected, want.Tolerance); err != nil {
				t.Errorf("%v\ngot  %s", err, output)
			}
		})
	}
}

// alike compares decoded JSON: equal, but for numbers, which may differ by tolerance (0 must be exactly 0).
func alike(got, want any, tolerance float64) error {
	switch want := want.(type) {
	case float64:
		g, ok := got.(float64)
		if !ok || math.Abs(g-want) > tolerance || (want == 0 && g != 0) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(want) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		for i := range want {
			if err := alike(g[i], want[i], tolerance); err != nil {
				return fmt.Errorf("[%d]: %w", i, err)
			}
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok || len(g) != len(want) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		for k := range want {
			if err := alike(g[k], want[k], tolerance); err != nil {
				return fmt.Errorf("%s: %w", k, err)
			}
		}
	default:
		if !reflect.DeepEqual(got, want) {
			return fmt.Errorf("got %v, want %v", got, want)
		}
	}
	return nil
}

func TestExplainRefuses(t *testing.T) {
	tests := map[string]struct {
		explain func([]byte) ([]byte, error)
		input   string
	}{
		"no object":         {Explain, `[`},
		"unknown setting":   {Explain, `{"config":{"regret_wieght":1},"environments":[]}`},
		"scale of zero":     {Explain, `{"config":{"regret_scale":0},"environments":[]}`},
		"unknown centring":  {Explain, `{"config":{"centring":"median"},"environments":[]}`},
		"step is no number": {Explain, `{"environments":[{"id":"a","plays_by_step":{"first":[1]}}]}`},
		"step twice":        {Explain, `{"environments":[{"id":"a","plays_by_step":{"1":[1],"01":[0]}}]}`},
		"too large":         {Explain, `{"environments":[{"id":"a","hinted_mean":1e308,"plays_by_step":{"1":[-1e308]}}]}`},
		"nothing":           {ExplainAdvantages, `{}`},
		"a word":            {ExplainAdvantages, `{"rewards":["much"]}`},
		"mask too short":    {ExplainAdvantages, `{"token_loss":[[1,2]],"mask":[[1]]}`},
		"mask missing":      {ExplainAdvantages, `{"token_loss":[[1,2]]}`},
		"longer than max":   {ExplainAdvantages, `{"token_loss":[[1,2]],"mask":[[1,1]],"max_len":1}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			output, err := test.explain([]byte(test.input))
			var failure *spade.Error
			if !errors.As(err, &failure) {
				t.Fatalf("got %s, %v; want a spade.Error", output, err)
			}
			if failure.Boundary != spade.ByUser || failure.Next == "" {
				t.Errorf("got boundary %q, next %q", failure.Boundary, failure.Next)
			}
		})
	}
}

func TestExplainCredit(t *testing.T) {
	tests := []struct {
		name, extra string
		regret, raw float64
		notes       int
	}{
		{name: "published", raw: 0.6 + 0.4, regret: 0.25},
		{name: "placebo explains part", extra: `,"placebo_mean":0.69`, regret: 0.25, raw: 0.6 + 0.4*0.06/0.15, notes: 1},
		{name: "placebo explains all", extra: `,"placebo_mean":0.9`, regret: 0.25, raw: 0.6, notes: 1},
		{name: "placebo harms", extra: `,"placebo_mean":0.1`, regret: 0.25, raw: 1},
		{name: "withheld secret", extra: `,"withheld_secret":true`, regret: 0.25, raw: 0.6, notes: 1},
		{name: "hang", extra: `,"step_timeout":true`, regret: 0.25, raw: -0.5, notes: 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			output, err := Explain(fmt.Appendf(nil,
				`{"environments":[{"id":"a","skill":"s","hinted_mean":0.75,"plays_by_step":{"0":[1,0,1,0]}%s}]}`, test.extra))
			if err != nil {
				t.Fatal(err)
			}
			var got explanation
			if err := json.Unmarshal(output, &got); err != nil {
				t.Fatal(err)
			}
			e := got.Environments[0]
			near(t, e.Regret, test.regret, "regret")
			near(t, e.Raw, test.raw, "raw")
			if len(e.Notes) != test.notes || e.Masked || e.Reward == nil || *e.Reward != 0 {
				t.Errorf("got %s", output)
			}
		})
	}
}

func TestAggregateWithoutTrainedTokens(t *testing.T) {
	for _, a := range []Aggregation{TokenMean, SeqMeanTokenMean, SeqMeanTokenSumNorm} {
		if got := Aggregate(a, [][]float64{{3, 4}}, [][]bool{{false, false}}, 2); got != 0 {
			t.Errorf("%s: got %v, want 0", a, got)
		}
		if got := Aggregate(a, nil, nil, 0); got != 0 {
			t.Errorf("%s of nothing: got %v, want 0", a, got)
		}
	}
}
