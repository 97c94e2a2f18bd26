package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// answer is the body of a chat completion, or one event of a stream, with the fields of every dialect that is read.
type answer struct {
	Choices  []choice        `json:"choices"`
	Error    json.RawMessage `json:"error"`
	Usage    *usage          `json:"usage"`
	Prompt   []int32         `json:"prompt_token_ids"`
	Object   string          `json:"object"`
	Message  string          `json:"message"` // of a flat error
	Type     string          `json:"type"`    // likewise
	Model    string          `json:"model"`
	MetaInfo *metaInfo       `json:"meta_info"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
}

type choice struct {
	Index    int             `json:"index"`
	Message  message         `json:"message"`
	Delta    message         `json:"delta"`
	Finish   *string         `json:"finish_reason"`
	LogProbs json.RawMessage `json:"logprobs"`
	TokenIDs []int32         `json:"token_ids"`
	Prompt   []int32         `json:"prompt_token_ids"`
	MetaInfo *metaInfo       `json:"meta_info"`
}

type message struct {
	Content   json.RawMessage `json:"content"`
	Refusal   string          `json:"refusal"`
	Reasoning string          `json:"reasoning"`
	// ReasoningContent and Thinking are other names of the same thing.
	ReasoningContent string     `json:"reasoning_content"`
	Thinking         string     `json:"thinking"`
	ToolCalls        []toolCall `json:"tool_calls"`
	// Some gateways in front of trainers put the tokens into the message.
	Prompt      []int32   `json:"prompt_token_ids"`
	Generated   []int32   `json:"generation_token_ids"`
	GeneratedLP []float64 `json:"generation_log_probs"`
}

type toolCall struct {
	Index    *int `json:"index"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// metaInfo is SGLang's account of the tokens: triples of log-probability, id and text.
type metaInfo struct {
	Output [][]json.RawMessage `json:"output_token_logprobs"`
}

// tokenLogProbs is the logprobs object of a choice, in the layout of chat completions or in that of the older
// completions.
type tokenLogProbs struct {
	Content []struct {
		Token   string   `json:"token"`
		LogProb *float64 `json:"logprob"`
		Bytes   []int    `json:"bytes"`
		ID      *int32   `json:"id"`
		TokenID *int32   `json:"token_id"`
	} `json:"content"`
	Tokens   []string   `json:"tokens"`
	LogProbs []*float64 `json:"token_logprobs"`
}

// text returns the message's content: a string, null, or a list of parts.
func (m *message) text() string {
	var text string
	if len(m.Content) == 0 || json.Unmarshal(m.Content, &text) == nil {
		if text == "" {
			return m.Refusal
		}
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	json.Unmarshal(m.Content, &parts) // another shape says nothing
	for _, p := range parts {
		text += p.Text
	}
	return text
}

func (m *message) thinking() string { return m.ReasoningContent + firstOf(m.Reasoning, m.Thinking) }

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// tokens are the sampled tokens as far as an answer tells them. Slices are nil where it says nothing, else of equal
// length.
type tokens struct {
	texts    []string
	ids      []int32
	logProbs []float64
	// bytes is what the tokens spell; known says that the server told it for all of them.
	bytes []byte
	known bool
}

// add reads the tokens of one choice and appends them.
func (t *tokens) add(c *choice, whole *answer) {
	ids := c.TokenIDs
	if len(ids) == 0 {
		ids = c.Message.Generated
	}
	var lp tokenLogProbs
	if len(c.LogProbs) > 0 {
		json.Unmarshal(c.LogProbs, &lp) // another shape says nothing
	}
	switch {
	case len(lp.Content) > 0:
		t.addContent(&lp)
	case len(lp.Tokens) > 0:
		t.addLegacy(&lp)
	case len(c.Message.GeneratedLP) > 0:
		t.logProbs = append(t.logProbs, c.Message.GeneratedLP...)
	case c.MetaInfo != nil:
		t.addTriples(c.MetaInfo)
	case whole.MetaInfo != nil:
		t.addTriples(whole.MetaInfo)
	}
	if len(ids) > 0 { // ids said outright win over ids hidden in texts
		before := len(t.ids)
		if n := len(lp.Content); n > 0 && before >= n && t.ids[before-1] >= 0 {
			before -= n
		}
		t.ids = append(t.ids[:before], ids...)
	}
}

func (t *tokens) addContent(lp *tokenLogProbs) {
	if len(t.texts) == 0 {
		t.known = true
	}
	for _, c := range lp.Content {
		t.texts = append(t.texts, c.Token)
		if c.LogProb != nil {
			t.logProbs = append(t.logProbs, *c.LogProb)
		}
		switch id, found := idInText(c.Token); {
		case c.ID != nil:
			t.ids = append(t.ids, *c.ID)
		case c.TokenID != nil:
			t.ids = append(t.ids, *c.TokenID)
		case found:
			t.ids = append(t.ids, id)
		}
		t.known = t.known && len(c.Bytes) > 0
		for _, b := range c.Bytes {
			t.bytes = append(t.bytes, byte(b))
		}
	}
}

func (t *tokens) addLegacy(lp *tokenLogProbs) {
	t.texts = append(t.texts, lp.Tokens...)
	for _, l := range lp.LogProbs {
		if l != nil {
			t.logProbs = append(t.logProbs, *l)
		}
	}
	for _, text := range lp.Tokens {
		if id, found := idInText(text); found {
			t.ids = append(t.ids, id)
		}
	}
}

func (t *tokens) addTriples(m *metaInfo) {
	for _, triple := range m.Output {
		var l float64
		var id int32
		if len(triple) < 2 || json.Unmarshal(triple[0], &l) != nil || json.Unmarshal(triple[1], &id) != nil {
			continue
		}
		t.logProbs, t.ids = append(t.logProbs, l), append(t.ids, id)
	}
}

// idInText reads a token whose text is its id: "token_id:17".
func idInText(text string) (int32, bool) {
	digits, found := strings.CutPrefix(text, "token_id:")
	if !found {
		return 0, false
	}
	id, err := strconv.ParseInt(digits, 10, 32)
	return int32(id), err == nil && id >= 0
}

var errNotJSON = errors.New("the answer is not JSON")

// decodeAnswer reads a body or an event.
func decodeAnswer(data []byte) (*answer, error) {
	a := new(answer)
	if err := json.Unmarshal(bytes.TrimSpace(data), a); err != nil {
		return nil, errNotJSON
	}
	return a, nil
}
