package chat

import (
	"testing"

	"spade"
	"spade/policy"
	"spade/policy/openai"
)

// TestRoundTrip: the embedded model, served and asked through our own client, has the conversations that it has directly,
// where nothing is left to chance.
func TestRoundTrip(t *testing.T) {
	p := embedded(t)
	for _, role := range []spade.Role{spade.Agent, spade.Designer} {
		model, name := "m", spade.NameObservation
		if role == spade.Designer {
			model, name = "m:designer", spade.NamePassage
		}
		at, err := openai.ParseAddress(served(t, p, Options{Text: p.Format().Text}) + "#" + model)
		if err != nil {
			t.Fatal(err)
		}
		remote, err := openai.Connect(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		if remote.Info().TextOnly {
			t.Errorf("the client sees no tokens: %q", remote.Info().Notes)
		}
		open := func(p policy.Sampler) policy.Session {
			s, err := p.Open(t.Context(), policy.Spec{Role: role, Rand: spade.Stream(1, 0, 0, "chat"), Temperature: 1, TopK: 1, MaxTokens: 200})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
		direct, far := open(p), open(remote)
		turns := []string{"crane mod 8 at 3", "ok add 3", "ok add 5"}
		if role == spade.Designer {
			turns = turns[:1]
		}
		for i, text := range turns {
			want, err := direct.Reply(t.Context(), spade.Message{Speaker: spade.User, Name: name, Content: text})
			if err != nil {
				t.Fatal(err)
			}
			got, err := far.Reply(t.Context(), spade.Message{Speaker: spade.User, Content: text})
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != want.Text || got.Stop != want.Stop {
				t.Errorf("%s, turn %d: %q (%s) over HTTP, %q (%s) directly", role, i, got.Text, got.Stop, want.Text, want.Stop)
			}
			// The client sees the whole prompt in each turn; what was sampled is the end of it.
			sampled := func(r policy.Reply) (ids []int32, logProbs []float32) {
				for t, m := range r.Mask {
					if m {
						ids, logProbs = append(ids, r.Tokens[t]), append(logProbs, r.LogProbs[t])
					}
				}
				return ids, logProbs
			}
			wantIDs, wantProbs := sampled(want)
			gotIDs, gotProbs := sampled(got)
			if len(gotIDs) != len(wantIDs) {
				t.Errorf("%s, turn %d: tokens %v over HTTP, %v directly", role, i, gotIDs, wantIDs)
				continue
			}
			for k := range gotIDs {
				if gotIDs[k] != wantIDs[k] || gotProbs[k] != wantProbs[k] {
					t.Errorf("%s, turn %d: token %d is %d (%v) over HTTP, %d (%v) directly", role, i, k, gotIDs[k], gotProbs[k], wantIDs[k], wantProbs[k])
				}
			}
		}
	}
}
