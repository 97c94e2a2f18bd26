package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"slices"
	"strings"
)

// NewToken returns a token that cannot be guessed.
func NewToken() string { return rand.Text() }

// policy lets pages use what is embedded here and nothing else. Styles that scripts set are no inline styles.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard lets through who may ask.
func (s *Server) guard(next http.Handler) http.Handler {
	crossOrigin := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		switch {
		case !s.knownHost(r.Host):
			// A foreign name that was made to point here is how a page of another site would read this one.
			fail(w, &problem{http.StatusForbidden, "this server is not called " + r.Host})
		case crossSite(r) || crossOrigin.Check(r) != nil:
			fail(w, &problem{http.StatusForbidden, "requests from other sites are refused"})
		case s.options.Token != "" && r.URL.Query().Has("token"):
			s.signIn(w, r)
		case s.options.Token != "" && !s.signedIn(r):
			fail(w, &problem{http.StatusUnauthorized, "a token is required: open the address that spade printed, or send it as Authorization: Bearer TOKEN"})
		default:
			r.Body = http.MaxBytesReader(w, r.Body, 1<<20)
			next.ServeHTTP(w, r)
		}
	})
}

// knownHost reports whether the server may be addressed by a Host header.
func (s *Server) knownHost(host string) bool {
	if s.options.Hosts == nil {
		return true
	}
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	return slices.Contains(s.options.Hosts, strings.ToLower(strings.Trim(name, "[]")))
}

// crossSite reports whether a page of another site makes this request. Following a link to the pages themselves is
// allowed; reading the API is not.
func crossSite(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if site == "" || site == "same-origin" || site == "none" {
		return false
	}
	return strings.HasPrefix(r.URL.Path, "/api/") || r.URL.Path == "/metrics" || r.Header.Get("Sec-Fetch-Mode") != "navigate"
}

const cookieName = "spade_token"

// signIn takes the token from the address into a cookie, so that it does not stay where it can be read.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	if !s.isToken(query.Get("token")) {
		fail(w, &problem{http.StatusUnauthorized, "this is not the token that spade printed"})
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieName, Value: s.options.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
		Secure: r.TLS != nil})
	query.Del("token")
	// The path of a request may begin with two slashes, which a browser would take for another host.
	target := "/" + strings.TrimLeft(r.URL.EscapedPath(), "/\\")
	if rest := query.Encode(); rest != "" {
		target += "?" + rest
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, target, http.StatusSeeOther)
}

func (s *Server) signedIn(r *http.Request) bool {
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return s.isToken(bearer)
	}
	cookie, err := r.Cookie(cookieName)
	return err == nil && s.isToken(cookie.Value)
}

func (s *Server) isToken(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(s.options.Token)) == 1
}
