package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

// dist is what vite makes of ui; make ui rebuilds it.
//
//go:embed dist
var dist embed.FS

// built returns the files of the front end.
func built() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant and valid
	}
	return files
}

// assets serves the front end. Its pages are addressed behind a #, so that there is one HTML file.
func assets() http.Handler {
	files := built()
	types := map[string]string{".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
		".svg": "image/svg+xml"}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			fail(w, &problem{http.StatusMethodNotAllowed, "pages are read with GET"})
			return
		}
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/")
		if name == "" {
			name = "index.html"
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			fail(w, notFound("there is no page %s", r.URL.Path))
			return
		}
		sum := sha256.Sum256(data)
		tag := `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache")
		w.Header().Set("Content-Type", types[path.Ext(name)])
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Write(data)
	})
}
