// Package serve is how this program serves others over HTTP: where it listens, whom it lets in, what it reads.
//
// It owns the listener, the token, the limits on bodies, the form of errors and the orderly end. What is served is in
// the packages below it: serve/trainer (the Tinker protocol), serve/chat (OpenAI's), serve/rollouts (finished episodes
// for trainers). It runs for as long as a `spade serve` command does.
package serve

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"spade"
)

// TokenVariable is the environment variable that holds the token of a server. Tokens are read from the environment
// only, so that they are in no file, list of processes or record.
const TokenVariable = "SPADE_SERVE_TOKEN"

// closingTime is how long requests in work may take to end once the server is to end.
const closingTime = 5 * time.Second

// Server is one listening server.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// Listen opens the address, host:port, for the handler. Without a token only this machine may connect: any other
// address is refused. With one, every request must carry it, as `Authorization: Bearer TOKEN` or `X-API-Key: TOKEN`.
func Listen(address, token string, handler http.Handler) (*Server, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "write host:port, for example 127.0.0.1:8700", "listen on %q: %w", address, err)
	}
	if token == "" && !loopback(host) {
		return nil, spade.Errorf(spade.ByUser, "set "+TokenVariable+" to a token that clients must send, or listen on 127.0.0.1",
			"listen on %s: others than this machine could connect, and nothing would ask who they are", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, spade.Errorf(spade.ByUser, "choose another address with --address", "listen: %w", err)
	}
	s := &Server{listener: listener, http: &http.Server{
		Handler: guard(token, handler), ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, IdleTimeout: 2 * time.Minute,
	}}
	return s, nil
}

// URL is where the server is reached from this machine.
func (s *Server) URL() string {
	host, port, _ := net.SplitHostPort(s.listener.Addr().String())
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Run serves until ctx ends. Requests in work have a few seconds to end: their contexts are cancelled at once.
func (s *Server) Run(ctx context.Context) error {
	working, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.http.BaseContext = func(net.Listener) context.Context { return working }
	failed := make(chan error, 1)
	go func() { failed <- s.http.Serve(s.listener) }()
	select {
	case err := <-failed:
		return spade.Errorf(spade.ByMachine, "start it again", "serve on %s: %w", s.URL(), err)
	case <-ctx.Done():
	}
	cancel()
	closing, stop := context.WithTimeout(context.Background(), closingTime)
	defer stop()
	if err := s.http.Shutdown(closing); err != nil {
		s.http.Close()
	}
	<-failed
	return nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// guard lets in who carries the token. Without one, it lets in what this machine's programs ask: not what a page in a
// browser does, be it through another site's script or through a name that was made to point here.
func guard(token string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case token != "" && !carries(r, token):
			Fail(w, http.StatusUnauthorized, errors.New("this server asks for its token, in X-API-Key or as a bearer token"))
		case token == "" && !sameMachine(r):
			Fail(w, http.StatusForbidden, errors.New("this server answers programs on its own machine only, under its own address"))
		default:
			handler.ServeHTTP(w, r)
		}
	})
}

func carries(r *http.Request, token string) bool {
	bearer, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	for _, given := range []string{bearer, r.Header.Get("X-API-Key")} {
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) == 1 {
			return true
		}
	}
	return false
}

func sameMachine(r *http.Request) bool {
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	if !loopback(strings.Trim(host, "[]")) {
		return false
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && loopback(u.Hostname())
}

// Body reads a request's body, of at most limit bytes. Where it cannot, it has answered and ok is false.
func Body(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		Fail(w, http.StatusRequestEntityTooLarge, fmt.Errorf("the body is larger than %d bytes", limit))
		return nil, false
	}
	if err != nil {
		Fail(w, http.StatusBadRequest, fmt.Errorf("read the body: %w", err))
		return nil, false
	}
	return body, true
}

// ReadJSON reads a request's body into v. Where it cannot, it has answered and returns false.
func ReadJSON(w http.ResponseWriter, r *http.Request, limit int64, v any) bool {
	body, ok := Body(w, r, limit)
	if !ok {
		return false
	}
	if err := json.Unmarshal(body, v); err != nil {
		Fail(w, http.StatusUnprocessableEntity, fmt.Errorf("the body is not the JSON that %s takes: %w", r.URL.Path, err))
		return false
	}
	return true
}

// WriteJSON answers with v.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		Fail(w, http.StatusInternalServerError, fmt.Errorf("encode the answer: %w", err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(append(data, '\n'))
}

// Fail answers with an error as {"detail": "…"}.
func Fail(w http.ResponseWriter, status int, err error) {
	WriteJSON(w, status, map[string]string{"detail": err.Error()})
}
