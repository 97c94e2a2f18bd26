package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"spade"
)

// hello answers everybody who is let in, and says what it was sent.
var hello = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	var v any
	if ReadJSON(w, r, 100, &v) {
		WriteJSON(w, http.StatusOK, v)
	}
})

func TestGuard(t *testing.T) {
	for _, test := range []struct {
		name, token, host string
		header            map[string]string
		want              int
	}{
		{"a program on this machine", "", "127.0.0.1:8700", nil, 200},
		{"by name", "", "localhost:8700", nil, 200},
		{"by IPv6", "", "[::1]:8700", nil, 200},
		{"a name that points here", "", "evil.example:8700", nil, 403},
		{"a page of another site", "", "127.0.0.1:8700", map[string]string{"Origin": "https://evil.example"}, 403},
		{"a page of this machine", "", "127.0.0.1:8700", map[string]string{"Origin": "http://localhost:3000"}, 200},
		{"no token", "secret", "box:8700", nil, 401},
		{"another token", "secret", "box:8700", map[string]string{"X-API-Key": "secre"}, 401},
		{"the token as a key", "secret", "box:8700", map[string]string{"X-API-Key": "secret"}, 200},
		{"the token of a bearer", "secret", "box:8700", map[string]string{"Authorization": "Bearer secret"}, 200},
	} {
		r := httptest.NewRequest(http.MethodPost, "http://x/", strings.NewReader("{}"))
		r.Host = test.host
		for name, value := range test.header {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		guard(test.token, hello).ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("%s: %d %s, want %d", test.name, w.Code, w.Body, test.want)
		}
	}
}

func TestBodies(t *testing.T) {
	for body, want := range map[string]int{`{"a":1}`: 200, `{`: 422, `"` + strings.Repeat("x", 200) + `"`: 413} {
		w := httptest.NewRecorder()
		hello.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		if w.Code != want {
			t.Errorf("%.20s: %d %s, want %d", body, w.Code, w.Body, want)
		}
	}
}

func TestListenRefuses(t *testing.T) {
	for address, token := range map[string]string{"0.0.0.0:0": "", ":0": "", "example.org:80": "", "8700": "x"} {
		s, err := Listen(address, token, hello)
		if failure := (*spade.Error)(nil); !errors.As(err, &failure) || failure.Boundary != spade.ByUser || failure.Next == "" {
			t.Errorf("%s with token %q: %v", address, token, err)
			if err == nil {
				s.listener.Close()
			}
		}
	}
}

// TestRun: a server that is to end ends, and so does a request that would wait for ever.
func TestRun(t *testing.T) {
	waiting := make(chan struct{})
	s, err := Listen("127.0.0.1:0", "", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(waiting)
		<-r.Context().Done()
		WriteJSON(w, http.StatusOK, "ended")
	}))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	answer := make(chan string, 1)
	go func() {
		response, err := http.Get(s.URL())
		if err != nil {
			answer <- err.Error()
			return
		}
		defer response.Body.Close()
		body, _ := io.ReadAll(response.Body)
		answer <- string(body)
	}()
	go func() {
		<-waiting
		cancel()
	}()
	if err := s.Run(ctx); err != nil {
		t.Error(err)
	}
	if got := <-answer; got != "\"ended\"\n" {
		t.Errorf("the request in work got %q", got)
	}
}
