package sandbox

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func TestDecodeStrict(t *testing.T) {
	for _, test := range []struct {
		text string
		want any
	}{
		{`{"a":[1,-2.5e3,true,false,null,"x"]}`, map[string]any{"a": []any{1.0, -2500.0, true, false, nil, "x"}}},
		{` [ ] `, []any{}},
		{`"\ud83d\ude00\n\u00e9é"`, "😀\néé"},
		{`0`, 0.0},
		{`-0.0`, 0.0},
		{strings.Repeat("[", 64) + strings.Repeat("]", 64), nil},
	} {
		got, err := decodeStrict([]byte(test.text))
		if err != nil || test.want != nil && !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v, %v", test.text, got, err)
		}
	}
	for _, text := range []string{
		``, ` `, `{`, `[1`, `[1,]`, `{"a"}`, `{"a":1,}`, `{a:1}`, `01`, `1.`, `.5`, `+1`, `1e`, `--1`, `NaN`, `Infinity`,
		`1e400`, `-1e999`, `nul`, `truefalse`, `1 2`, `"`, `"\x"`, `"\u12"`, `"\ud800"`, `"\udc00"`, `"\ud800\ud800"`,
		`"\ud800\u0041"`, `"\ud800x"`, "\"\xff\"", "\"\xed\xa0\x80\"", "\"\n\"", `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`,
		strings.Repeat("[", 66) + strings.Repeat("]", 66), strings.Repeat("[", 100000), "\x00", `{"a":1}}`,
	} {
		if got, err := decodeStrict([]byte(text)); err == nil {
			t.Errorf("%.40q was read as %v", text, got)
		}
	}
}

// FuzzDecodeStrict: what is accepted, encoding/json reads in the same way.
func FuzzDecodeStrict(f *testing.F) {
	f.Add(`{"nonce":"ab","printed":"","results":[{"ok":["x",0.5,false,true,"{}"]}]}`)
	f.Add(`[1e5,"\ud83d\ude00",null]`)
	f.Fuzz(func(t *testing.T, text string) {
		got, err := decodeStrict([]byte(text))
		if err != nil {
			return
		}
		var want any
		if err := json.Unmarshal([]byte(text), &want); err != nil {
			t.Fatalf("%q was read, but is not JSON: %v", text, err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%q was read as %v, want %v", text, got, want)
		}
	})
}
