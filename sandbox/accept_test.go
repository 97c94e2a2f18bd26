package sandbox

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"spade"
)

// answerTo has a process with one request of the kind read data.
func answerTo(k kind, data string) (*request, error) {
	r := &request{kind: k}
	p := &Process{}
	return r, p.accept([]byte(data), 0xab, []*request{r})
}

func TestAccept(t *testing.T) {
	const step = `{"nonce":"ab","results":[{"ok":["x\n",-0.5,false,true,"{}"]}],"printed":"hello"}`
	r, err := answerTo(opStep, step)
	if want := (answer{[2]string{"x\n", "{}"}, -0.5, [2]bool{false, true}}); err != nil || r.answer != want || r.fault != nil {
		t.Errorf("got %+v, %v, %v", r.answer, r.fault, err)
	}
	r, err = answerTo(opLoad, `{"nonce":"ab","results":[{"fault":["env_error","syntax","a\n b","line 1"]}],"printed":""}`)
	if want := (Fault{Outcome: spade.EnvError, Phase: "syntax", Message: "a b", Trace: "line 1"}); err != nil || *r.fault != want {
		t.Errorf("got %+v, %v", r.fault, err)
	}
	for i := range len(step) {
		if _, err := answerTo(opStep, step[:i]); err == nil {
			t.Errorf("%s was accepted", step[:i])
		}
		if _, err := answerTo(opStep, step[:i]+"\n"+step[i:]); err == nil {
			t.Errorf("%s was accepted", step[:i]+"\n"+step[i:])
		}
	}
	for _, data := range []string{
		strings.Replace(step, "ab", "ac", 1), strings.Replace(step, "ab", "abc", 1), strings.Replace(step, `"ab"`, `"00ab"`, 1),
		strings.Replace(step, "-0.5", "NaN", 1), strings.Replace(step, "-0.5", `"1"`, 1), strings.Replace(step, "-0.5", "true", 1),
		strings.Replace(step, "-0.5", "1e999", 1), strings.Replace(step, "false", "0", 1), strings.Replace(step, "false", "null", 1),
		strings.Replace(step, `"x\n"`, "null", 1), strings.Replace(step, `x\n`, `\ud800`, 1), strings.Replace(step, `x\n`, "\xff", 1),
		strings.Replace(step, `,"{}"`, "", 1), strings.Replace(step, `"{}"`, `"{}",1`, 1), step + step,
		strings.Replace(step, `]}]`, `]},{"ok":[]}]`, 1), `{"nonce":"ab","results":[],"printed":""}`,
		`{"nonce":"ab","results":[{"fault":["protocol_violation","step","",""]}],"printed":""}`,
		`{"nonce":"ab","results":[{"fault":["ok","step","",""]}],"printed":""}`,
		`{"nonce":"ab","results":[{"fault":["env_error","step",""]}],"printed":""}`,
	} {
		if r, err := answerTo(opStep, data); err == nil {
			t.Errorf("%s was read as %+v", data, r.answer)
		}
	}
}

// FuzzAccept: what is accepted is JSON that means the same.
func FuzzAccept(f *testing.F) {
	f.Add(`["x\u00e9",-0.5e1,false,true,"{}"]`, "printed")
	f.Add(`["","1",false,true,{}]`, "\\ud83d\\ude00")
	f.Fuzz(func(t *testing.T, fields, printed string) {
		data := fmt.Sprintf(`{"nonce":"ab","results":[{"ok":%s}],"printed":"%s"}`, fields, printed)
		r, err := answerTo(opStep, data)
		if err != nil {
			return
		}
		var got struct {
			Nonce   string
			Results []struct{ OK []any }
			Printed string
		}
		if err := json.Unmarshal([]byte(data), &got); err != nil {
			t.Fatalf("%q was accepted, but is not JSON: %v", data, err)
		}
		a := r.answer
		want := []any{a.texts[0], a.number, a.flags[0], a.flags[1], a.texts[1]}
		if r.fault == nil && !reflect.DeepEqual(got.Results[0].OK, want) {
			t.Fatalf("%q was read as %v", data, want)
		}
	})
}

// FuzzRequest: any text arrives as it is, except that what is not UTF-8 becomes U+FFFD.
func FuzzRequest(f *testing.F) {
	f.Add("\\boxed{\"1\"}\n\x00é\u2028\xff")
	f.Fuzz(func(t *testing.T, text string) {
		frame := appendRequest(nil, 0xab, []*request{
			{kind: opStep, number: 3, text: text}, {kind: opReset, number: 4, value: -7}, {kind: opSolution, number: 5}})
		if size, _ := frameSize(frame); size != len(frame)-headerSize {
			t.Errorf("the frame says it has %d bytes and has %d", size, len(frame)-headerSize)
		}
		var got any
		if err := json.Unmarshal(frame[headerSize:], &got); err != nil {
			t.Fatalf("%q: %v", frame, err)
		}
		want := map[string]any{"nonce": "ab", "ops": []any{
			[]any{"step", 3.0, string([]rune(text))}, []any{"reset", 4.0, -7.0}, []any{"solution", 5.0, nil}}}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if !utf8.Valid(frame[headerSize:]) {
			t.Errorf("%q is not UTF-8", frame)
		}
	})
}
