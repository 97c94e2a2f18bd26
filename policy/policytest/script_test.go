package policytest

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"spade"
	"spade/policy"
)

func TestScriptKeepsTheContract(t *testing.T) {
	Run(t, func(*testing.T) policy.Sampler {
		return NewScript(func(spec policy.Spec, messages []spade.Message) string {
			return fmt.Sprintf("%d of %d, %d", len(messages), len(messages[0].Content), spec.Rand.IntN(100))
		})
	})
}

func TestScriptSeesTheConversation(t *testing.T) {
	var seen []string
	s := NewScript(func(_ policy.Spec, messages []spade.Message) string {
		var all []string
		for _, m := range messages {
			all = append(all, string(m.Speaker)+" "+m.Content)
		}
		seen = append(seen, strings.Join(all, ", "))
		return fmt.Sprint("reply ", len(seen))
	})
	session, err := s.Open(context.Background(), policy.Spec{Role: spade.Agent})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for _, text := range []string{"one", "two"} {
		r, err := session.Reply(context.Background(), spade.Message{Speaker: spade.User, Content: text})
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprint("reply ", len(seen)); r.Text != want || r.Stop != policy.StopEnd || len(r.Tokens) != len(text)+len(want) {
			t.Errorf("reply %+v, want the text %q", r, want)
		}
	}
	want := []string{"user one", "user one, assistant reply 1, user two"}
	if strings.Join(seen, "|") != strings.Join(want, "|") {
		t.Errorf("the script saw %q, want %q", seen, want)
	}
}
