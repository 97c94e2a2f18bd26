package openai

import (
	"net/url"
	"os"
	"strings"

	"spade"
)

// Address says where a server is and which of its models to use.
type Address struct {
	// Base is the URL under which chat/completions lies, without a slash at its end: "http://127.0.0.1:8000/v1".
	Base string
	// Model is the model's name, "" for the only one that the server lists.
	Model string
}

// ParseAddress reads URL[#MODEL]: the address of a server, with /v1 added where the URL has no path, and the name of a
// model after #, as the server lists it.
func ParseAddress(text string) (Address, error) {
	const next = "write openai:http://HOST:PORT[/v1][#MODEL]"
	text, model, _ := strings.Cut(text, "#")
	u, err := url.Parse(text)
	switch {
	case err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "":
		return Address{}, spade.Errorf(spade.ByUser, next, "%q is not the address of a server", withoutSecrets(text))
	case u.User != nil || u.RawQuery != "":
		return Address{}, spade.Errorf(spade.ByUser, "put the key into the environment variable "+KeyVariables(text)[0],
			"the address of %s holds credentials, which would be recorded with the run", u.Host)
	}
	if u.Path = strings.TrimRight(u.Path, "/"); u.Path == "" {
		u.Path = "/v1"
	}
	u.Path = strings.TrimSuffix(u.Path, "/chat/completions")
	return Address{Base: u.String(), Model: model}, nil
}

func withoutSecrets(text string) string {
	before, after, found := strings.Cut(text, "@")
	if !found {
		return text
	}
	if scheme, _, ok := strings.Cut(before, "//"); ok {
		return scheme + "//…@" + after
	}
	return "…@" + after
}

// KeyVariables returns the environment variables in which a key for the server at base is looked for, in order: one
// that names the host (SPADE_API_KEY_OPENROUTER_AI), OPENAI_API_KEY for api.openai.com, SPADE_API_KEY.
func KeyVariables(base string) []string {
	host := ""
	if u, err := url.Parse(base); err == nil {
		host = u.Hostname()
	}
	name := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(host))
	variables := []string{"SPADE_API_KEY_" + name}
	if host == "api.openai.com" {
		variables = append(variables, "OPENAI_API_KEY")
	}
	return append(variables, "SPADE_API_KEY")
}

func findKey(base string) string {
	for _, name := range KeyVariables(base) {
		if key := strings.TrimSpace(os.Getenv(name)); key != "" {
			return key
		}
	}
	return ""
}
