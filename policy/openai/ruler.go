package openai

import "sync"

// ruler estimates how many tokens a text takes, from what the server counted before. Servers that shorten a prompt in
// silence are found by it: they count far fewer tokens than the text must have.
type ruler struct {
	mu     sync.Mutex
	bytes  int
	tokens int
}

const (
	// firstRatio is what is taken for the number of bytes of a token before anything was counted.
	firstRatio = 4.0
	// shortPrompt is the number of bytes up to which prompts calibrate the ruler: no server shortens these.
	shortPrompt = 4 << 10
	// enough is the number of tokens after which the ruler is taken as calibrated.
	enough = 256
	// missing is the share of the expected tokens below which a prompt was shortened. Texts differ in their ratio by
	// less; what was cut off by less than that stays unseen.
	missing = 0.6
)

// note takes a count of the server's.
func (r *ruler) note(bytes, tokens int) {
	if bytes <= 0 || tokens <= 0 || bytes > shortPrompt {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tokens < 1<<20 {
		r.bytes, r.tokens = r.bytes+bytes, r.tokens+tokens
	}
}

// count estimates the tokens of a text of so many bytes, at least 1.
func (r *ruler) count(bytes int) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	ratio := firstRatio
	if r.tokens >= enough {
		ratio = min(max(float64(r.bytes)/float64(r.tokens), 0.5), 8) // whatever a server claims
	}
	return 1 + int(float64(bytes)/ratio)
}

// truncated reports whether a prompt of so many bytes cannot have come to so few tokens.
func (r *ruler) truncated(bytes, tokens int) bool {
	least := min(r.count(bytes), int(float64(bytes)/firstRatio)) // a ruler made of drawings says nothing of prose
	return bytes > shortPrompt && float64(tokens) < missing*float64(least)
}
