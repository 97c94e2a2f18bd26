package openai

import (
	"testing"
	"time"
)

// ConnectHastily connects to a server with deadlines that a test can wait for.
func ConnectHastily(t *testing.T, url string) *Policy {
	t.Helper()
	short := hasty()
	short.attempts, short.idle = 8, 100*time.Millisecond
	p, err := connect(t.Context(), Address{Base: url + "/v1"}, short)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
