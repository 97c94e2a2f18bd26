package chat

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

	"spade/policy"
)

// completion is the answer to a request, or a part of it in a stream.
type completion struct {
	ID      string    `json:"id"`
	Object  string    `json:"object"`
	Created int64     `json:"created"`
	Model   string    `json:"model"`
	Choices []*choice `json:"choices"`
	Usage   *usage    `json:"usage,omitempty"`
	// Prompt are the tokens of the prompt, where they were asked for.
	Prompt []int32 `json:"prompt_token_ids,omitempty"`
}

type choice struct {
	Index        int       `json:"index"`
	Message      *said     `json:"message,omitempty"`
	Delta        *said     `json:"delta,omitempty"`
	LogProbs     *logProbs `json:"logprobs"`
	FinishReason *string   `json:"finish_reason"`
	TokenIDs     []int32   `json:"token_ids,omitempty"`
}

type said struct {
	Role    string `json:"role,omitempty"`
	Content string `json:"content"`
}

type logProbs struct {
	Content []tokenLogProb `json:"content"`
}

type tokenLogProb struct {
	Token   string         `json:"token"`
	LogProb float32        `json:"logprob"`
	Bytes   []int          `json:"bytes"`
	Top     []tokenLogProb `json:"top_logprobs"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// answer puts the replies into the form of an answer.
func (s *Server) answer(q *request, replies []policy.Reply) *completion {
	c := &completion{ID: "chatcmpl-" + rand.Text(), Object: "chat.completion", Created: time.Now().Unix(), Model: q.Model, Usage: &usage{}}
	for i := range replies {
		r := &replies[i]
		fed := max(0, slices.Index(r.Mask, true))
		if i == 0 {
			c.Usage.Prompt = fed
			if q.TokenIDs {
				c.Prompt = r.Tokens[:fed]
			}
		}
		c.Usage.Completion += len(r.Tokens) - fed
		c.Choices = append(c.Choices, s.choice(q, i, r, fed))
	}
	c.Usage.Total = c.Usage.Prompt + c.Usage.Completion
	return c
}

func (s *Server) choice(q *request, index int, r *policy.Reply, fed int) *choice {
	text, cut := q.cut(r.Text)
	one := &choice{Index: index, Message: &said{Role: "assistant", Content: text}}
	reason := "stop"
	if r.Stop != policy.StopEnd && !cut {
		reason = "length"
	}
	one.FinishReason = &reason
	if cut { // tokens would say more than the text does
		return one
	}
	if q.TokenIDs {
		one.TokenIDs = r.Tokens[fed:]
	}
	if q.LogProbs {
		one.LogProbs = &logProbs{Content: []tokenLogProb{}}
		for t := fed; t < len(r.Tokens); t++ {
			one.LogProbs.Content = append(one.LogProbs.Content, s.logProb(q, r.Tokens[t], r.LogProbs[t]))
		}
	}
	return one
}

// logProb is one token with its log-probability. Of the alternatives only itself is known.
func (s *Server) logProb(q *request, id int32, value float32) tokenLogProb {
	l := tokenLogProb{Token: fmt.Sprintf("token_id:%d", id), LogProb: value, Bytes: []int{}, Top: []tokenLogProb{}}
	if s.options.Text != nil {
		text := s.options.Text([]int32{id})
		for _, b := range []byte(text) {
			l.Bytes = append(l.Bytes, int(b))
		}
		if !q.TokensAsIDs {
			l.Token = text
		}
	}
	if q.TopLogProbs > 0 {
		l.Top = append(l.Top, tokenLogProb{Token: l.Token, LogProb: value, Bytes: l.Bytes, Top: []tokenLogProb{}})
	}
	return l
}

// stream hands an answer out as events: a first one with the role, one with the text of each choice, one with its end,
// and, where it was asked for, one with the usage.
func stream(w http.ResponseWriter, q *request, whole *completion) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	send := func(choices []*choice, prompt []int32, u *usage) {
		part := completion{ID: whole.ID, Object: "chat.completion.chunk", Created: whole.Created, Model: whole.Model, Choices: choices, Usage: u, Prompt: prompt}
		data, err := json.Marshal(part)
		if err != nil {
			panic(err) // plain data: numbers of a policy are finite
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	for i, c := range whole.Choices {
		var prompt []int32
		if i == 0 {
			prompt = whole.Prompt
		}
		send([]*choice{{Index: c.Index, Delta: &said{Role: "assistant"}}}, prompt, nil)
		send([]*choice{{Index: c.Index, Delta: &said{Content: c.Message.Content}, LogProbs: c.LogProbs, TokenIDs: c.TokenIDs}}, nil, nil)
		send([]*choice{{Index: c.Index, Delta: &said{}, FinishReason: c.FinishReason}}, nil, nil)
	}
	if q.StreamOptions.IncludeUsage {
		send([]*choice{}, nil, whole.Usage)
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}
