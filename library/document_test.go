package library

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spade"
)

const warmDocuments = 20000

// sources returns the environments that a designer's document shows: those of its memory and its reply.
func sources(t testing.TB, d Document) (remembered []string, written, hint string) {
	t.Helper()
	for _, m := range d.Messages {
		switch {
		case m.Speaker == spade.Assistant:
			rest, ok := strings.CutPrefix(m.Content, codeOpen)
			if !ok || !strings.HasSuffix(rest, hintClose) {
				t.Fatalf("reply %q", m.Content)
			}
			written, hint, ok = strings.Cut(strings.TrimSuffix(rest, hintClose), codeClose)
			if !ok {
				t.Fatalf("reply %q", m.Content)
			}
		case m.Name == spade.NameMemory:
			_, source, _ := strings.Cut(m.Content, "\n")
			remembered = append(remembered, source)
		}
	}
	return remembered, written, hint
}

func TestDocumentsAreAFunctionOfTheirArguments(t *testing.T) {
	passages := builtin(t)
	differ := false
	for i := range 300 {
		a := Documents(7, i, passages)
		if !reflect.DeepEqual(a, Documents(7, i, passages)) {
			t.Fatalf("document %d differs when asked again", i)
		}
		differ = differ || !reflect.DeepEqual(a, Documents(8, i, passages))
	}
	if !differ {
		t.Error("the seed does not matter")
	}
}

func TestDocumentsAreMixedAsStated(t *testing.T) {
	passages := builtin(t)
	count := map[string]float64{}
	for i := range warmDocuments {
		d := Documents(9, i, passages)
		if len(d.Messages) != len(d.Weights) || d.Messages[len(d.Messages)-1].Speaker != spade.Assistant {
			t.Fatalf("document %d: %+v", i, d)
		}
		names := map[string]bool{}
		for k, m := range d.Messages {
			names[m.Name] = true
			want := 0.0
			switch {
			case m.Speaker == spade.Assistant:
				want = 1
			case m.Name == spade.NameObservation && k > 0:
				want = 0.1
			}
			if d.Weights[k] != want {
				t.Fatalf("document %d: message %d %+v has weight %v", i, k, m, d.Weights[k])
			}
		}
		count[string(d.Role)]++
		for _, name := range []string{spade.NameHint, spade.NamePassage, spade.NameMemory} {
			if names[name] {
				count[name]++
			}
		}
		if names[spade.NameHint] && d.Messages[1].Content != Plain {
			count["hinted twists"]++
		}
		if d.Role == spade.Agent {
			object, _, _ := strings.Cut(d.Messages[0].Content, " ")
			if theme, _ := themeWhere(func(t Theme) bool { return t.Object == object }); theme.HeldOut {
				count["held out"]++
			}
		}
	}
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"designs", count["designer"] / warmDocuments, 0.15},
		{"hinted play", count[spade.NameHint] / warmDocuments, 0.3},
		{"hinted play under a twist", count["hinted twists"] / count[spade.NameHint], 0.77},
		{"designs with a passage", count[spade.NamePassage] / count["designer"], 0.85},
		{"designs with memory", count[spade.NameMemory] / count["designer"], 0.5},
		{"plays with held-out words", count["held out"] / count["agent"], 0.06},
	} {
		if c.got < 0.9*c.want || c.got > 1.1*c.want {
			t.Errorf("%s: share %.3f, want about %.2f", c.name, c.got, c.want)
		}
	}
}

func TestDesignsFollowTheirPassageAndMemory(t *testing.T) {
	passages := builtin(t)
	for i := range warmDocuments {
		d := Documents(10, i, passages)
		if d.Role != spade.Designer {
			continue
		}
		remembered, written, hint := sources(t, d)
		traits, ok := Inspect(written)
		if !ok || !Fair(traits.Horizon, traits.Lives, traits.Twisted) || traits.Twisted == (hint == Plain) {
			t.Fatalf("document %d: %+v, hint %q:\n%s", i, traits, hint, written)
		}
		theme, _ := ThemeOf(traits.Topic)
		for _, m := range d.Messages {
			if m.Name == spade.NamePassage && !strings.Contains(m.Content, theme.Object) {
				t.Fatalf("the passage %q became an environment of the %s", m.Content, theme.Object)
			}
		}
		for _, source := range remembered {
			before, ok := Inspect(source)
			if !ok || before.Mechanic != traits.Mechanic {
				t.Fatalf("document %d: %+v follows %+v", i, traits, before)
			}
			if step := traits.Horizon - before.Horizon; step < -3 || step > 4 {
				t.Fatalf("document %d: horizon %d follows %d", i, traits.Horizon, before.Horizon)
			}
		}
	}
}

func TestHorizonsFollowWinRates(t *testing.T) {
	r := spade.Stream(11, 0, 0, "test")
	mean := func(decile int) float64 {
		sum := 0
		for range 3000 {
			n := nextHorizon(r, 6, decile)
			if n < 3 || n > 10 {
				t.Fatalf("horizon %d follows 6", n)
			}
			sum += n
		}
		return float64(sum) / 3000
	}
	low, middle, high := mean(1), mean(5), mean(9)
	if low < 5.4 || low > 5.6 || middle < 6.4 || middle > 6.6 || high < 7.4 || high > 7.6 {
		t.Errorf("mean horizons after 6 turns: %.2f after losses, %.2f, %.2f after wins", low, middle, high)
	}
	if n := nextHorizon(r, MaxHorizon, 9); n > MaxHorizon {
		t.Errorf("horizon %d beyond the prior", n)
	}
}

func TestRetellKeepsWhatMatters(t *testing.T) {
	r := spade.Stream(12, 0, 0, "test")
	changed := 0
	for _, p := range builtin(t) {
		topic, _ := p.Meta["topic"].(string)
		told, to := retell(r, p.Text, topic)
		theme, ok := ThemeOf(to)
		if !ok || theme.HeldOut {
			t.Fatalf("%q is about %q", told, to)
		}
		for _, w := range append([]string{theme.Object}, theme.Words[:]...) {
			if !slices.Contains(lowerWord.FindAllString(told, -1), w) {
				t.Errorf("%q lacks %q of %s", told, w, to)
			}
		}
		if told != p.Text {
			changed++
		}
	}
	if changed < 340 {
		t.Errorf("%d of 408 passages changed", changed)
	}
}

func TestMemoryText(t *testing.T) {
	for rate, want := range map[float64]string{0: "win 0\nx", 0.19: "win 1\nx", 0.5: "win 5\nx", 1: "win 9\nx"} {
		if got := MemoryText("x", rate); got != want {
			t.Errorf("MemoryText(%v) = %q", rate, got)
		}
	}
}

func TestWordsCoverTheWorld(t *testing.T) {
	words := map[string]bool{}
	for _, w := range Words() {
		if words[w] {
			t.Errorf("%q twice", w)
		}
		words[w] = true
	}
	// Every answer of a demonstration is one token, and so is every theme word of an observation.
	passages := builtin(t)
	for i := range 2000 {
		for _, m := range Documents(13, i, passages).Messages {
			if action, boxed := strings.CutPrefix(m.Content, boxOpen); boxed && !words[strings.TrimSuffix(action, boxClose)] {
				t.Errorf("the answer %q is no word", m.Content)
			}
		}
	}
	if len(Stems()) != len(themes) || !words["99"] {
		t.Error("stems or numbers are missing")
	}
	texts := TokenizerTexts(1, passages)
	for _, text := range texts {
		if !strings.HasPrefix(text, " ") && !strings.HasPrefix(text, "import random\n") || strings.Contains(text, "```") {
			t.Fatalf("text %q is not what will be encoded", text)
		}
	}
}

func ExampleDocuments() {
	for i := range 40 {
		if d := Documents(1, i, nil); d.Role == spade.Agent && len(d.Messages) == 4 {
			for _, m := range d.Messages {
				fmt.Printf("%s: %s\n", m.Speaker, m.Content)
			}
			break
		}
	}
	// Output:
	// user: oven bake mod 6 at 4 add 1
	// assistant: \boxed{5}
	// user: ok add 2
	// assistant: \boxed{2}
}
