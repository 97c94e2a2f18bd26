package tinker

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// KeyVariable is the environment variable that holds the key of a server. Keys are read from the environment only.
const KeyVariable = "TINKER_API_KEY"

// renewBefore is how long before its end a pass is exchanged for a new one.
const renewBefore = 5 * time.Minute

// auth signs requests: with the key, or with the pass (a JWT) that a server gives for it.
type auth struct {
	key string

	mu     sync.Mutex
	passes bool // the server wants passes
	pass   string
	until  time.Time
}

// tokenPath is where a key is exchanged for a pass.
const tokenPath = "auth/token"

func (a *auth) sign(ctx context.Context, c *client, request *http.Request) error {
	if a.key == "" {
		return nil
	}
	credential := a.key
	if !strings.HasSuffix(request.URL.Path, "/"+tokenPath) {
		var err error
		if credential, err = a.current(ctx, c); err != nil {
			return err
		}
	}
	request.Header.Set("X-API-Key", credential)
	return nil
}

// current returns the key, or a pass that is good for a while.
func (a *auth) current(ctx context.Context, c *client) (string, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.passes {
		return a.key, nil
	}
	if a.pass != "" && time.Until(a.until) > renewBefore {
		return a.pass, nil
	}
	_, answer, err := c.attempt(ctx, call{method: http.MethodPost, path: tokenPath, body: []byte("{}"), contentType: "application/json"}, "token")
	if err != nil {
		return "", fmt.Errorf("exchange the key: %w", err)
	}
	var given struct {
		JWT string `json:"jwt"`
	}
	if err := json.Unmarshal(answer, &given); err != nil || given.JWT == "" {
		return "", errors.New("exchange the key: the answer holds no jwt")
	}
	a.pass, a.until = given.JWT, expiry(given.JWT)
	return a.pass, nil
}

// usePasses makes later requests be signed with passes.
func (a *auth) usePasses() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.passes = true
}

// expiry is when a pass ends, the next moment where it does not say.
func expiry(jwt string) time.Time {
	parts := strings.Split(jwt, ".")
	if len(parts) != 3 {
		return time.Time{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	var claims struct {
		Exp int64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return time.Time{}
	}
	return time.Unix(claims.Exp, 0)
}

// withoutURL is an error of the HTTP client without the address, which the caller states.
func withoutURL(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}
