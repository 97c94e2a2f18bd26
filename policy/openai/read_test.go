package openai

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestLayouts: the same two tokens in every layout in which servers tell them.
func TestLayouts(t *testing.T) {
	const (
		prompt  = `"prompt_token_ids":[1,2,3],`
		content = `"logprobs":{"content":[{"token":"a","logprob":-0.5,"bytes":[97]},{"token":"b","logprob":-1,"bytes":[98]}]}`
	)
	for name, test := range map[string]struct{ top, choice, message, missing string }{
		"vLLM":             {prompt, `"token_ids":[7,8],` + content, ``, ""},
		"ids in the texts": {prompt, `"logprobs":{"content":[{"token":"token_id:7","logprob":-0.5,"bytes":[97]},{"token":"token_id:8","logprob":-1,"bytes":[98]}]}`, ``, ""},
		"both": {prompt, `"token_ids":[7,8],"logprobs":{"content":[{"token":"token_id:7","logprob":-0.5,"bytes":[97]},{"token":"token_id:8","logprob":-1,"bytes":[98]}]}`,
			``, ""},
		"ids beside texts":     {prompt, `"logprobs":{"content":[{"id":7,"token":"a","logprob":-0.5,"bytes":[97]},{"id":8,"token":"b","logprob":-1,"bytes":[98]}]}`, ``, ""},
		"SGLang":               {prompt, `"meta_info":{"output_token_logprobs":[[-0.5,7,"a"],[-1,8,"b"]]}`, ``, ""},
		"inside the message":   {``, `"x":0`, `,"prompt_token_ids":[1,2,3],"generation_token_ids":[7,8],"generation_log_probs":[-0.5,-1]`, ""},
		"old completions":      {prompt, `"token_ids":[7,8],"logprobs":{"tokens":["a","b"],"token_logprobs":[-0.5,-1]}`, ``, ""},
		"ids alone":            {prompt, `"token_ids":[7,8]`, ``, "no log-probabilities"},
		"texts alone":          {prompt, content, ``, "no token ids"},
		"no prompt":            {``, `"token_ids":[7,8],` + content, ``, "no prompt token ids"},
		"fewer probabilities":  {prompt, `"token_ids":[7,8,9],` + content, ``, "as many token ids as log-probabilities are needed"},
		"null for probability": {prompt, `"token_ids":[7],"logprobs":{"content":[{"token":"a","logprob":null}]}`, ``, "no log-probabilities"},
		"nothing":              {``, `"logprobs":null`, ``, "no token ids"},
	} {
		body := fmt.Sprintf(`{%s"choices":[{"index":0,"message":{"content":"ab"%s},"finish_reason":"stop",%s}]}`, test.top, test.message, test.choice)
		c, fault := readBody([]byte(body), asked{})
		if fault != nil {
			t.Errorf("%s: %v", name, fault)
			continue
		}
		ok, why := c.Trainable()
		if ok != (test.missing == "") || why != test.missing {
			t.Errorf("%s: trainable %v, %q, want %q", name, ok, why, test.missing)
		}
		if got := fmt.Sprint(c.PromptIDs, c.TokenIDs, c.LogProbs); ok && got != "[1 2 3] [7 8] [-0.5 -1]" {
			t.Errorf("%s: read %s", name, got)
		}
	}
}

func TestWhole(t *testing.T) {
	for name, test := range map[string]struct{ choice, whole, said, finish string }{
		"text":               {`"message":{"content":"go \\boxed{up}"},"finish_reason":"stop"`, `go \boxed{up}`, `go \boxed{up}`, "stop"},
		"parts":              {`"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":"eos_token"`, "ab", "ab", "stop"},
		"thought apart":      {`"message":{"content":"x","reasoning_content":"hm"},"finish_reason":"stop"`, "<think>hm</think>\nx", "x", "stop"},
		"thought, new name":  {`"message":{"content":"x","reasoning":"hm"},"finish_reason":"stop"`, "<think>hm</think>\nx", "x", "stop"},
		"only thought":       {`"message":{"content":null,"reasoning":"hm"},"finish_reason":"length"`, "<think>hm", "", "length"},
		"thought in the end": {`"message":{"content":"","reasoning":"hm"},"finish_reason":"stop"`, "<think>hm</think>\n", "", "stop"},
		"refusal":            {`"message":{"content":null,"refusal":"no"},"finish_reason":"content_filter"`, "no", "no", "content_filter"},
		"native call": {`"message":{"content":null,"tool_calls":[{"function":{"name":"f","arguments":"{\"a\": 1}"}}]},"finish_reason":"tool_calls"`,
			`<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`, `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`, "tool_calls"},
		"call with an object": {`"message":{"content":"so","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]},"finish_reason":"stop"`,
			"so\n" + `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`, "so\n" + `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`, "stop"},
		"broken call": {`"message":{"content":"so","tool_calls":[{"function":{"name":"f","arguments":"{'a'"}}]},"finish_reason":"stop"`, "so", "so", "stop"},
		"cut call":    {`"message":{"content":"so","tool_calls":[{"function":{"name":"f","arguments":"{\"a\": "}}]},"finish_reason":"stop"`, "so", "so", "length"},
	} {
		c, fault := readBody([]byte(`{"choices":[{"index":1,"message":{"content":"other"}},{"index":0,`+test.choice+`}]}`), asked{})
		if fault != nil {
			t.Errorf("%s: %v", name, fault)
			continue
		}
		if c.Whole() != test.whole || c.said() != test.said || c.Finish != test.finish || c.Truncated != (test.finish == "length") {
			t.Errorf("%s: %q, said %q, finish %q, truncated %v", name, c.Whole(), c.said(), c.Finish, c.Truncated)
		}
	}
}

func TestStream(t *testing.T) {
	event := func(choice string) string { return `data: {"choices":[{"index":0,` + choice + `}]}` + "\n\n" }
	const done = "data: [DONE]\n\n"
	for name, test := range map[string]struct {
		stream string
		whole  string
		class  Class
	}{
		"parts": {": keep-alive\n\n" + event(`"delta":{"role":"assistant","content":""}`) + event(`"delta":{"content":"a"}`) +
			event(`"delta":{"content":"b"},"finish_reason":"stop"`) + `data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}` + "\n\n" + done, "ab", ""},
		"carriage returns":      {strings.ReplaceAll(event(`"delta":{"content":"a"},"finish_reason":"stop"`)+done, "\n", "\r\n"), "a", ""},
		"no mark of the end":    {event(`"delta":{"content":"a"},"finish_reason":"stop"`), "a", ""},
		"last line not ended":   {strings.TrimSpace(event(`"delta":{"content":"a"},"finish_reason":"stop"`)), "a", ""},
		"thought":               {event(`"delta":{"reasoning_content":"h"}`) + event(`"delta":{"reasoning_content":"m"}`) + event(`"delta":{"content":"a"},"finish_reason":"stop"`), "<think>hm</think>\na", ""},
		"call in parts":         {event(`"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}`) + event(`"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`) + event(`"delta":{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]},"finish_reason":"tool_calls"`), `<tool_call>{"name":"f","arguments":{"a":1}}</tool_call>`, ""},
		"cut":                   {event(`"delta":{"content":"a"}`), "", Cut},
		"ended without a cause": {event(`"delta":{"content":"a"}`) + done, "", Cut},
		"nothing":               {"", "", Cut},
		"error event":           {event(`"delta":{"content":"a"}`) + `data: {"error":{"message":"full","code":503}}` + "\n\n" + done, "", Overloaded},
		"not JSON":              {"data: {\n\n", "", Malformed},
	} {
		c, fault := readStream(strings.NewReader(test.stream), asked{})
		switch {
		case test.class != "" && (fault == nil || fault.Class != test.class):
			t.Errorf("%s: fault %v, want %s", name, fault, test.class)
		case test.class == "" && (fault != nil || c.Whole() != test.whole):
			t.Errorf("%s: %+v, %v", name, c, fault)
		}
	}
}

func TestStreamedTokens(t *testing.T) {
	c, fault := readStream(strings.NewReader(
		`data: {"prompt_token_ids":[1,2],"choices":[{"index":0,"delta":{"content":""}}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":{"content":"a"},"token_ids":[7],"logprobs":{"content":[{"token":"token_id:7","logprob":-0.5}]}}]}`+"\n\n"+
			`data: {"choices":[{"index":0,"delta":{"content":"b"},"token_ids":[8],"logprobs":{"content":[{"token":"token_id:8","logprob":-1}]},"finish_reason":"stop"}]}`+"\n\n"), asked{})
	if fault != nil || fmt.Sprint(c.PromptIDs, c.TokenIDs, c.LogProbs) != "[1 2] [7 8] [-0.5 -1]" {
		t.Errorf("%+v, %v", c, fault)
	}
}

func TestFaults(t *testing.T) {
	for name, test := range map[string]struct {
		status int
		body   string
		class  Class
		size   int
	}{
		"vLLM":             {400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","code":400}`, ContextLength, 4096},
		"llama.cpp":        {400, `{"error":{"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_ctx":2048}}`, ContextLength, 2048},
		"too large":        {413, `too large`, ContextLength, 0},
		"text for error":   {400, `{"error":"prompt is too long: 9 tokens > 8 maximum"}`, ContextLength, 0},
		"validation":       {422, `{"detail":[{"loc":["body","seed"],"msg":"bad"}]}`, BadRequest, 0},
		"rate":             {429, `{"error":{"message":"slow down","type":"rate_limit_error"}}`, RateLimited, 0},
		"rate, context":    {429, `{"error":{"message":"limit of context length tokens a minute"}}`, RateLimited, 0},
		"credit":           {429, `{"error":{"message":"pay","code":"insufficient_quota"}}`, Quota, 0},
		"key":              {401, `{"error":{"message":"no"}}`, Denied, 0},
		"gateway":          {502, `<html>Bad Gateway</html>`, ServerError, 0},
		"gateway timeout":  {504, ``, Timeout, 0},
		"overloaded":       {529, `{"type":"error","error":{"type":"overloaded_error"}}`, Overloaded, 0},
		"deadline":         {500, `{"error":{"message":"context deadline exceeded"}}`, ServerError, 0},
		"error in success": {200, `{"error":{"message":"busy","code":503}}`, Overloaded, 0},
		"unnamed":          {200, `{"error":{"message":"oh"}}`, ServerError, 0},
	} {
		f := faultOfResponse(test.status, []byte(test.body))
		if f.Class != test.class || f.Context != test.size {
			t.Errorf("%s: %+v, want %s", name, f, test.class)
		}
	}
}

func TestRetryDelay(t *testing.T) {
	now := time.Date(2026, 12, 2, 10, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		headers map[string]string
		want    time.Duration
	}{
		"nothing":            {nil, noDelay},
		"seconds":            {map[string]string{"Retry-After": "7"}, 7 * time.Second},
		"part of a second":   {map[string]string{"Retry-After": "0.25"}, 250 * time.Millisecond},
		"milliseconds first": {map[string]string{"Retry-After": "9", "Retry-After-Ms": "1500"}, 1500 * time.Millisecond},
		"our clock":          {map[string]string{"Retry-After": "Wed, 02 Dec 2026 10:00:30 GMT"}, 30 * time.Second},
		"its clock":          {map[string]string{"Retry-After": "Wed, 02 Dec 2026 10:00:30 GMT", "Date": "Wed, 02 Dec 2026 10:00:20 GMT"}, 10 * time.Second},
		"past":               {map[string]string{"Retry-After": "Wed, 02 Dec 2026 09:00:30 GMT"}, 0},
		"negative":           {map[string]string{"Retry-After": "-1"}, noDelay},
		"nonsense":           {map[string]string{"Retry-After": "soon"}, noDelay},
		"not a number":       {map[string]string{"Retry-After": "NaN"}, noDelay},
		"for ever":           {map[string]string{"Retry-After": "Inf"}, noDelay},
		"requests used up":   {map[string]string{"X-Ratelimit-Remaining-Requests": "0", "X-Ratelimit-Reset-Requests": "2s", "X-Ratelimit-Remaining-Tokens": "9", "X-Ratelimit-Reset-Tokens": "6m0s"}, 2 * time.Second},
		"both unknown":       {map[string]string{"X-Ratelimit-Reset-Requests": "20ms", "X-Ratelimit-Reset-Tokens": "1m2s"}, 62 * time.Second},
		"reset in seconds":   {map[string]string{"X-Ratelimit-Reset": "3"}, 3 * time.Second},
		"reset as an epoch":  {map[string]string{"X-Ratelimit-Reset": fmt.Sprint(now.Unix() + 5)}, 5 * time.Second},
		"reset as a date":    {map[string]string{"Ratelimit-Reset": "2026-12-02T10:00:04Z"}, 4 * time.Second},
	} {
		header := http.Header{}
		for k, v := range test.headers {
			header.Set(k, v)
		}
		if got := retryDelay(header, now); got != test.want {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// FuzzExplain: whatever a server sends, reading it ends and gives no more ids or probabilities than it says.
func FuzzExplain(f *testing.F) {
	f.Add([]byte(`{"choices":[{"message":{"content":"a","tool_calls":[{"function":{"arguments":"{"}}]},"logprobs":{"content":[{"token":"token_id:1"}]}}]}`))
	f.Add([]byte("data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":9},{\"index\":0}]}}]}\n\ndata: [DONE]\n\n"))
	f.Add([]byte(`[{"status":429,"headers":{"Retry-After":"1e300"}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		Explain(data, nil, time.Unix(0, 0))
	})
}
