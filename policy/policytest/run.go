package policytest

import (
	"context"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"spade"
	"spade/policy"
)

// maxTokens bounds the replies that the suite asks for.
const maxTokens = 12

// Run checks that a sampler keeps the contract of package policy. open returns a fresh sampler, with the same
// weights every time.
func Run(t *testing.T, open func(t *testing.T) policy.Sampler) {
	tests := map[string]func(*testing.T, policy.Sampler){
		"info":                     checkInfo,
		"shape of replies":         checkReplies,
		"length limit":             checkLength,
		"equal streams":            checkEqualStreams,
		"whatever else is sampled": checkIndependence,
		"turns concatenate":        checkTurns,
		"full context":             checkContext,
		"closing":                  checkClose,
		"cancelling":               checkCancel,
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func checkInfo(t *testing.T, s policy.Sampler) {
	info := s.Info()
	if info.Name == "" || info.Context < 1 {
		t.Errorf("Info is %+v, want a name and a positive context", info)
	}
	short, long := s.CountTokens("crane"), s.CountTokens(strings.Repeat("crane hoist ", 50))
	if short < 1 || long <= short {
		t.Errorf("CountTokens gives %d for a word and %d for a hundred", short, long)
	}
}

// spec is a session's specification whose stream depends on n only.
func spec(role spade.Role, n int) policy.Spec {
	return policy.Spec{Role: role, Rand: spade.Stream(1, 0, n, "policytest"), Temperature: 1, MaxTokens: maxTokens}
}

// opening is the first turn of conversation n.
func opening(role spade.Role, n int) []spade.Message {
	words := []string{"crane", "pump", "oven", "radar", "drill"}
	text := strings.Repeat(words[n%len(words)]+" lifts ", 1+n%7)
	if role == spade.Designer {
		return []spade.Message{
			{Speaker: spade.User, Name: spade.NameMemory, Content: "pass"},
			{Speaker: spade.User, Name: spade.NamePassage, Content: text},
		}
	}
	return []spade.Message{
		{Speaker: spade.User, Name: spade.NameObservation, Content: text},
		{Speaker: spade.User, Name: spade.NameHint, Content: "add"},
	}
}

func observation(text string) spade.Message {
	return spade.Message{Speaker: spade.User, Name: spade.NameObservation, Content: text}
}

// converse plays conversation n, of up to three turns, and returns its replies.
func converse(s policy.Sampler, role spade.Role, n int) ([]policy.Reply, error) {
	ctx := context.Background()
	session, err := s.Open(ctx, spec(role, n))
	if err != nil {
		return nil, err
	}
	defer session.Close()
	var replies []policy.Reply
	for turn := range 1 + n%3 {
		messages := opening(role, n)
		if turn > 0 {
			messages = []spade.Message{observation(strings.Repeat("ok add 3 ", 1+n%5))}
		}
		r, err := session.Reply(ctx, messages...)
		if err != nil {
			return nil, err
		}
		replies = append(replies, r)
	}
	return replies, nil
}

func roleOf(n int) spade.Role {
	if n%4 == 0 {
		return spade.Designer
	}
	return spade.Agent
}

// mustConverse plays conversation n in the role that roleOf gives it.
func mustConverse(t *testing.T, s policy.Sampler, n int) []policy.Reply {
	t.Helper()
	replies, err := converse(s, roleOf(n), n)
	if err != nil {
		t.Fatalf("conversation %d: %v", n, err)
	}
	return replies
}

func checkReplies(t *testing.T, s policy.Sampler) {
	for n := range 8 {
		for i, r := range mustConverse(t, s, n) {
			checkShape(t, r)
			if fed, _ := count(r); fed == 0 && !s.Info().TextOnly {
				t.Errorf("conversation %d, reply %d: nothing was fed", n, i)
			}
		}
	}
}

// count returns how many tokens were fed and sampled.
func count(r policy.Reply) (fed, sampled int) {
	for _, m := range r.Mask {
		if m {
			sampled++
		} else {
			fed++
		}
	}
	return fed, sampled
}

// checkShape checks what every reply must keep on its own.
func checkShape(t *testing.T, r policy.Reply) {
	t.Helper()
	if len(r.Tokens) != len(r.LogProbs) || len(r.Tokens) != len(r.Mask) {
		t.Fatalf("%d tokens, %d log-probabilities, a mask of %d", len(r.Tokens), len(r.LogProbs), len(r.Mask))
	}
	fed, sampled := count(r)
	for i, m := range r.Mask {
		l := float64(r.LogProbs[i])
		switch {
		case m != (i >= fed):
			t.Fatalf("token %d of %d: sampled tokens must follow the %d fed ones", i, len(r.Mask), fed)
		case m && (math.IsNaN(l) || math.IsInf(l, 0) || l > 0):
			t.Errorf("token %d has log-probability %v", i, l)
		case !m && l != 0:
			t.Errorf("fed token %d has log-probability %v, want 0", i, l)
		}
	}
	if sampled > maxTokens {
		t.Errorf("%d tokens were sampled, at most %d were asked for", sampled, maxTokens)
	}
	switch r.Stop {
	case policy.StopEnd, policy.StopContext:
	case policy.StopLength:
		if sampled != maxTokens && len(r.Tokens) > 0 {
			t.Errorf("the reply was cut off for its length after %d tokens of %d", sampled, maxTokens)
		}
	default:
		t.Errorf("the reply stopped for %q", r.Stop)
	}
}

func checkLength(t *testing.T, s policy.Sampler) {
	ctx := context.Background()
	one := spec(spade.Agent, 1)
	one.MaxTokens = 1
	session, err := s.Open(ctx, one)
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	for range 3 {
		r, err := session.Reply(ctx, opening(spade.Agent, 1)...)
		if err != nil {
			t.Fatal(err)
		}
		if _, sampled := count(r); sampled > 1 {
			t.Errorf("%d tokens were sampled, want at most 1", sampled)
		}
	}
}

func checkEqualStreams(t *testing.T, s policy.Sampler) {
	for n := range 4 {
		if a, b := mustConverse(t, s, n), mustConverse(t, s, n); !reflect.DeepEqual(a, b) {
			t.Errorf("conversation %d with equal streams gives\n%+v\nand\n%+v", n, a, b)
		}
	}
}

func checkIndependence(t *testing.T, s policy.Sampler) {
	const conversations = 40
	alone := make([][]policy.Reply, conversations)
	for n := range alone {
		alone[n] = mustConverse(t, s, n)
	}
	order := spade.Stream(3, 0, 0, "policytest").Perm(conversations)
	together := make([][]policy.Reply, conversations)
	var group sync.WaitGroup
	for _, n := range order {
		group.Go(func() {
			var err error
			if together[n], err = converse(s, roleOf(n), n); err != nil {
				t.Errorf("conversation %d: %v", n, err)
			}
		})
	}
	group.Wait()
	for n := range alone {
		if !reflect.DeepEqual(alone[n], together[n]) {
			t.Errorf("conversation %d alone and among others gives\n%+v\nand\n%+v", n, alone[n], together[n])
		}
	}
}

// checkTurns: a reply holds only what was fed and sampled since the one before.
func checkTurns(t *testing.T, s policy.Sampler) {
	ctx := context.Background()
	session, err := s.Open(ctx, spec(spade.Agent, 5))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	first := 0
	for turn := range 4 {
		r, err := session.Reply(ctx, observation("the crane lifts 3"))
		if err != nil {
			t.Fatal(err)
		}
		checkShape(t, r)
		fed, _ := count(r)
		if turn == 0 {
			first = fed
		} else if fed > first {
			t.Errorf("turn %d feeds %d tokens for a message that took %d at first", turn, fed, first)
		}
	}
}

func checkContext(t *testing.T, s policy.Sampler) {
	ctx := context.Background()
	session, err := s.Open(ctx, spec(spade.Agent, 6))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	part := strings.Repeat("crane hoist 3 ", 1+s.Info().Context/16)
	for range 64 {
		r, err := session.Reply(ctx, observation(part))
		if err != nil {
			t.Fatal(err)
		}
		checkShape(t, r)
		if r.Stop == policy.StopContext {
			return
		}
	}
	t.Error("a conversation longer than the context never stopped for it")
}

func checkClose(t *testing.T, s policy.Sampler) {
	ctx := context.Background()
	session, err := s.Open(ctx, spec(spade.Agent, 7))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.Reply(ctx, opening(spade.Agent, 7)...); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := session.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if _, err := session.Reply(ctx, observation("late")); err == nil {
		t.Error("a closed session replies")
	}
}

func checkCancel(t *testing.T, s policy.Sampler) {
	ctx, cancel := context.WithCancel(context.Background())
	session, err := s.Open(ctx, spec(spade.Agent, 8))
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	cancel()
	if _, err := session.Reply(ctx, opening(spade.Agent, 8)...); err == nil {
		t.Error("a cancelled context gives a reply")
	}
	// Others are not disturbed.
	mustConverse(t, s, 1)
}
