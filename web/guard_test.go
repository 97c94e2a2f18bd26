package web

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestGuard asks as pages of this site, of other sites and under foreign names would.
func TestGuard(t *testing.T) {
	run := newFakeRun()
	open, _ := serve(t, run, nil)
	locked, _ := serve(t, run, func(o *Options) { o.Token, o.Hosts = "secret", nil })
	play := "/api/v1/runs/fake/play"
	for _, c := range []struct {
		name, method, path, host string
		headers                  map[string]string
		locked                   bool
		want                     int
	}{
		{"the page", "GET", "/", "localhost:1", nil, false, 200},
		{"by address", "GET", "/api/v1/runs", "127.0.0.1:1", nil, false, 200},
		{"by IPv6 address", "GET", "/api/v1/runs", "[::1]:1", nil, false, 200},
		{"DNS rebinding", "GET", "/api/v1/runs", "evil.example:1", nil, false, 403},
		{"DNS rebinding of the page", "GET", "/", "evil.example", nil, false, 403},
		{"a name that begins like ours", "GET", "/", "localhost.evil.example", nil, false, 403},
		{"no name", "GET", "/", "", nil, false, 403},
		{"our page", "GET", "/api/v1/runs", "localhost", map[string]string{"Sec-Fetch-Site": "same-origin"}, false, 200},
		{"a script of another site", "GET", "/api/v1/runs", "localhost", map[string]string{"Sec-Fetch-Site": "cross-site"}, false, 403},
		{"another port of this machine", "GET", "/api/v1/runs", "localhost", map[string]string{"Sec-Fetch-Site": "same-site"}, false, 403},
		{"an image of another site", "GET", "/icon.svg", "localhost", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, false, 403},
		{"metrics of another site", "GET", "/metrics", "localhost", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, false, 403},
		{"a link from another site", "GET", "/", "localhost", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, false, 200},
		{"a form of another site", "POST", play, "localhost", map[string]string{"Sec-Fetch-Site": "cross-site"}, false, 403},
		{"an old browser's form", "POST", play, "localhost", map[string]string{"Origin": "http://evil.example"}, false, 403},
		{"pages take no forms", "POST", "/", "localhost", nil, false, 405},
		{"no token", "GET", "/api/v1/runs", "box", nil, true, 401},
		{"no token for the page", "GET", "/", "box", nil, true, 401},
		{"a wrong token", "GET", "/?token=guess", "box", nil, true, 401},
		{"a wrong cookie", "GET", "/api/v1/runs", "box", map[string]string{"Cookie": cookieName + "=guess"}, true, 401},
		{"no token for metrics", "GET", "/metrics", "box", nil, true, 401},
		{"the token in the address", "GET", "/?token=secret", "box", nil, true, 303},
		{"the cookie", "GET", "/api/v1/runs", "box", map[string]string{"Cookie": cookieName + "=secret"}, true, 200},
		{"the header", "GET", "/metrics", "box", map[string]string{"Authorization": "Bearer secret"}, true, 200},
		{"a wrong header beside the cookie", "GET", "/metrics", "box", map[string]string{"Authorization": "Bearer x", "Cookie": cookieName + "=secret"}, true, 401},
		{"the cookie from another site", "GET", "/api/v1/runs", "box", map[string]string{"Cookie": cookieName + "=secret", "Sec-Fetch-Site": "cross-site"}, true, 403},
	} {
		handler := open.Handler()
		if c.locked {
			handler = locked.Handler()
		}
		r := httptest.NewRequest(c.method, c.path, strings.NewReader("{}"))
		r.Host = c.host
		for name, value := range c.headers {
			r.Header.Set(name, value)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d, want %d: %s", c.name, w.Code, c.want, w.Body)
		}
		if csp := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q", c.name, csp)
		}
		if w.Header().Get("X-Content-Type-Options") != "nosniff" || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: headers %v", c.name, w.Header())
		}
	}
}

// TestSignIn follows the address that is printed: the token leaves the address and stays in a cookie that scripts and
// other sites do not get. The address leads nowhere else.
func TestSignIn(t *testing.T) {
	s, _ := serve(t, newFakeRun(), func(o *Options) { o.Token, o.Hosts = "secret", nil })
	for path, want := range map[string]string{"/?token=secret": "/", "/?token=secret&a=b": "/?a=b", "//evil.example/?token=secret": "/evil.example/"} {
		r := httptest.NewRequest("GET", "/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
		_, r.URL.RawQuery, _ = strings.Cut(path, "?")
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r)
		cookies := w.Result().Cookies()
		if w.Code != http.StatusSeeOther || w.Header().Get("Location") != want || len(cookies) != 1 {
			t.Errorf("%s: %d to %q, %d cookies", path, w.Code, w.Header().Get("Location"), len(cookies))
			continue
		}
		if c := cookies[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Value != "secret" {
			t.Errorf("%s: cookie %v", path, c)
		}
	}
}

// TestAssets checks that the front end is embedded, asks nobody else for anything, and is not sent twice.
func TestAssets(t *testing.T) {
	s, ask := serve(t, newFakeRun(), nil)
	for path, kind := range map[string]string{"/": "text/html; charset=utf-8", "/app.js": "text/javascript; charset=utf-8", "/app.css": "text/css; charset=utf-8", "/icon.svg": "image/svg+xml"} {
		w := ask("GET", path, "")
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != kind || w.Body.Len() < 200 {
			t.Errorf("%s: %d %s, %d bytes", path, w.Code, w.Header().Get("Content-Type"), w.Body.Len())
		}
		if path == "/" || path == "/app.css" {
			if text := w.Body.String(); strings.Contains(text, "//") && strings.Contains(text, "http") {
				t.Errorf("%s names another site", path)
			}
		}
		r := httptest.NewRequest("GET", path, nil)
		r.Host = "localhost"
		r.Header.Set("If-None-Match", w.Header().Get("ETag"))
		again := httptest.NewRecorder()
		s.Handler().ServeHTTP(again, r)
		if again.Code != http.StatusNotModified {
			t.Errorf("%s again: %d", path, again.Code)
		}
	}
}

func TestVariables(t *testing.T) {
	for source, want := range map[string]string{
		"":                                   "",
		"self.a = 1\nself.b=2; self.a == 3":  "a b",
		"s.t=0;s.L=4\nr=s.r=x\nthis.s.q = 2": "t L r",
		"s.x=s.g=1":                          "x g",
		"self.a.b = 1\nself. = 2":            "",
		"us.x = 1\nself.y += 1":              "",
	} {
		if got := strings.Join(variables(source), " "); got != want {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
}
