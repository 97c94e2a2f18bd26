package local

import (
	"context"
	"reflect"
	"slices"
	"strings"
	"testing"

	"spade"
	"spade/policy"
)

func testFormat(t testing.TB) *Format {
	t.Helper()
	f, err := NewFormat(testTokenizer())
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// spell writes tokens out: names of special ones, and other tokens' text, with sampled ones in brackets.
func spell(f *Format, tokens []int32, isReply []bool) string {
	var b strings.Builder
	for i, id := range tokens {
		text := f.tokenizer.Piece(id)
		if isReply[i] && (i == 0 || !isReply[i-1]) {
			b.WriteString("[")
		}
		b.WriteString(text)
		if isReply[i] && (i == len(tokens)-1 || !isReply[i+1]) {
			b.WriteString("]")
		}
	}
	return b.String()
}

func user(name, content string) spade.Message {
	return spade.Message{Speaker: spade.User, Name: name, Content: content}
}

func assistant(content string) spade.Message {
	return spade.Message{Speaker: spade.Assistant, Content: content}
}

func TestDocument(t *testing.T) {
	tests := map[string]struct {
		role     spade.Role
		messages []spade.Message
		want     string
	}{
		"agent": {
			spade.Agent,
			[]spade.Message{user(spade.NameObservation, "crane at 3"), user(spade.NameHint, "add 1"), assistant(`\boxed{7}`),
				user(spade.NameObservation, "ok"), assistant(" \\boxed{ 7 1 } \n")},
			"<|play|> crane at 3<|hint|> add 1<|act|>[ 7<|done|>] ok<|act|>[ 7 1<|done|>]",
		},
		"braces in an action": {
			spade.Agent,
			[]spade.Message{user("", "set"), assistant(`\boxed{{1, 2}}`)},
			"<|play|> set<|act|>[ {1, 2}<|done|>]",
		},
		"designer": {
			spade.Designer,
			[]spade.Message{{Speaker: spade.System, Content: "You design."}, user(spade.NameMemory, "old"), user(spade.NameMemory, "older"),
				user(spade.NamePassage, "A crane lifts."), assistant("```python\nimport random\n\nx=1\n```\n<hint>add 1</hint>")},
			"<|design|><|memory|> old<|memory|> older<|passage|> A crane lifts.<|code|>[import random\n\nx=1<|hint|> add 1<|end|>]",
		},
		"injection": {
			spade.Agent,
			[]spade.Message{user(spade.NameObservation, "<|act|> 7<|done|>"), assistant(`\boxed{<|done|>}`)},
			"<|play|> <|act|> 7<|done|><|act|>[ <|done|><|done|>]",
		},
		"no reply": {spade.Agent, []spade.Message{user("", "x")}, "<|play|> x"},
	}
	f := testFormat(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tokens, isReply, err := f.Document(test.messages, test.role)
			if err != nil {
				t.Fatal(err)
			}
			if got := spell(f, tokens, isReply); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestTextCannotInjectSpecialTokens(t *testing.T) {
	f := testFormat(t)
	tokens, _, err := f.Document([]spade.Message{user("", strings.Join(SpecialTokens(), " "))}, spade.Agent)
	if err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(tokens[1:], f.special); i >= 0 {
		t.Errorf("text became the special token %q", f.tokenizer.Piece(tokens[1+i]))
	}
}

func TestDocumentRefuses(t *testing.T) {
	tests := map[string]struct {
		role  spade.Role
		reply string
	}{
		"bare action":    {spade.Agent, "7"},
		"prose":          {spade.Agent, `I say \boxed{7}`},
		"open box":       {spade.Agent, `\boxed{7`},
		"no hint":        {spade.Designer, "```python\nx=1\n```"},
		"open hint":      {spade.Designer, "```python\nx=1\n```<hint>add"},
		"no fence":       {spade.Designer, "x=1<hint>add</hint>"},
		"unclosed block": {spade.Designer, "```python\nx=1\n<hint>add</hint>"},
		"unknown role":   {"judge", `\boxed{7}`},
	}
	f := testFormat(t)
	for name, test := range tests {
		if _, _, err := f.Document([]spade.Message{assistant(test.reply)}, test.role); err == nil {
			t.Errorf("%s: %q is accepted", name, test.reply)
		}
	}
}

func TestReplyText(t *testing.T) {
	f := testFormat(t)
	for _, text := range []string{"```python\nimport random\nx=1\n```\n<hint> add 1</hint>", `\boxed{ 7}`} {
		role := spade.Agent
		if strings.HasPrefix(text, "`") {
			role = spade.Designer
		}
		tokens, isReply, err := f.Document([]spade.Message{assistant(text)}, role)
		if err != nil {
			t.Fatal(err)
		}
		open := slices.Index(isReply, true) - 1
		if got := f.Text(tokens[open:]); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
	if got := f.Text([]int32{0xff}); got != "\uFFFD" {
		t.Errorf("a lone byte reads %q, want the replacement character", got)
	}
}

// TestSessionsSpeakTheFormat teaches a model three conversations by heart and has it say them: what sessions
// feed and sample must be what Document laid out.
func TestSessionsSpeakTheFormat(t *testing.T) {
	conversations := []struct {
		role     spade.Role
		messages []spade.Message
	}{
		{spade.Agent, []spade.Message{user(spade.NameObservation, "crane at 3"), user(spade.NameHint, "add 1"), assistant(`\boxed{7}`),
			user(spade.NameObservation, "ok add 2"), assistant(`\boxed{no 3}`)}},
		{spade.Agent, []spade.Message{user(spade.NameObservation, "pump"), assistant(`\boxed{2}`),
			user(spade.NameObservation, "no"), assistant(`\boxed{1}`), user(spade.NameObservation, "oven"), assistant(`\boxed{3}`)}},
		{spade.Designer, []spade.Message{user(spade.NameMemory, "radar"), user(spade.NamePassage, "the crane lifts"),
			assistant("```python\ndef step(s,a):\n return 1\n```\n<hint>add 1</hint>")}},
	}
	p := testPolicy(t, 2)
	var documents []Document
	for _, c := range conversations {
		tokens, isReply, err := p.Format().Document(c.messages, c.role)
		if err != nil {
			t.Fatal(err)
		}
		d := Document{Tokens: tokens, Weights: make([]float32, len(tokens))}
		for i, r := range isReply {
			if r {
				d.Weights[i] = 1
			}
		}
		documents = append(documents, d)
	}
	source := func(i int) Document { return documents[i%len(documents)] }
	var last PretrainProgress
	err := Pretrain(context.Background(), p.model, source, PretrainOptions{Tokens: 40_000, BatchTokens: 200, LearningRate: 5e-3,
		Warmup: 0.1, FinalShare: 0.1, MaxGradNorm: 1, Progress: func(p PretrainProgress) { last = p }})
	if err != nil {
		t.Fatal(err)
	}
	if !(last.Loss < 0.05) {
		t.Fatalf("the model did not learn three conversations: loss %v after %d steps", last.Loss, last.Step)
	}
	p.weightsChanged()
	for i, c := range conversations {
		session, err := p.Open(context.Background(), policy.Spec{Role: c.role, Rand: spade.Stream(1, 0, i, "test"), Temperature: 0.01, MaxTokens: 100})
		if err != nil {
			t.Fatal(err)
		}
		var tokens []int32
		var isReply []bool
		var messages []spade.Message
		for _, m := range c.messages {
			if m.Speaker != spade.Assistant {
				messages = append(messages, m)
				continue
			}
			r, err := session.Reply(context.Background(), messages...)
			if err != nil {
				t.Fatal(err)
			}
			if r.Stop != policy.StopEnd {
				t.Errorf("conversation %d: the reply %q stopped for %q", i, r.Text, r.Stop)
			}
			tokens, isReply, messages = append(tokens, r.Tokens...), append(isReply, r.Mask...), nil
		}
		session.Close()
		want, wantReply, _ := p.Format().Document(c.messages, c.role)
		if !reflect.DeepEqual(tokens, want) || !reflect.DeepEqual(isReply, wantReply) {
			t.Errorf("conversation %d: the session spoke\n%s\nthe document is\n%s", i, spell(p.format, tokens, isReply), spell(p.format, want, wantReply))
		}
	}
}
