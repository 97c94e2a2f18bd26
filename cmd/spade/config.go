package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"spade"
	"spade/selfplay"
)

// readConfig reads a configuration file over the defaults. Keys that are left out keep their default; a key
// that does not exist, or a value of another type, is an error that names file, line and key.
// An option that names the policy wins over the file, also in the choice of defaults.
func readConfig(path string, policy *string) (selfplay.Config, error) {
	data, err := readFile(path, maxTextFile)
	if err != nil {
		return selfplay.Config{}, spade.Errorf(spade.ByUser, "name a YAML file, or give none to run with the defaults",
			"read the configuration: %w", err)
	}
	named := rolesIn(data)
	if policy != nil {
		named.Policy = *policy
	}
	return decodeOver(defaultsFor(named), path, data)
}

// decodeConfig reads the configuration in data over the defaults; name is used in errors.
func decodeConfig(name string, data []byte) (selfplay.Config, error) {
	return decodeOver(defaultsFor(rolesIn(data)), name, data)
}

// decodeOver reads the configuration in data over cfg.
func decodeOver(defaults selfplay.Config, name string, data []byte) (selfplay.Config, error) {
	cfg := defaults
	body, err := parseConfig(name, data)
	if err != nil {
		return cfg, err
	}
	if body != nil {
		if fault := checkShape(body, cfg); fault != nil {
			return cfg, fault.in(name)
		}
		if err := yaml.NodeToValue(body, &cfg); err != nil {
			return cfg, configError(name, err)
		}
	}
	if err := cfg.Validate(); err != nil {
		return cfg, settingError(name, body, err)
	}
	return cfg, nil
}

// parseConfig returns the one document in data, nil if there is nothing but comments in it.
func parseConfig(name string, data []byte) (ast.Node, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	for i, line := range bytes.Split(data, []byte("\n")) {
		if !utf8.Valid(line) {
			return nil, (&configFault{line: i + 1, what: "this is no UTF-8 text", next: "save the file as UTF-8"}).in(name)
		}
	}
	file, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, configError(name, err)
	}
	var body ast.Node
	for _, doc := range file.Docs {
		if _, directive := doc.Body.(*ast.DirectiveNode); directive || doc.Body == nil || doc.Body.Type() == ast.NullType {
			continue
		}
		if body != nil {
			return nil, (&configFault{
				line: doc.Body.GetToken().Position.Line, what: "a second document begins here",
				next: "keep one document in a file: put all keys above the line ---",
			}).in(name)
		}
		body = doc.Body
	}
	return body, nil
}

// encodeConfig is the complete, resolved configuration as YAML.
func encodeConfig(cfg selfplay.Config) ([]byte, error) {
	data, err := yaml.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	return data, nil
}

// settingError says where in a file the setting stands that err is about. The file may leave it out: then its default
// does not go with what is set.
func settingError(name string, body ast.Node, err error) error {
	what := strings.TrimPrefix(err.Error(), "configuration: ")
	key, _, _ := strings.Cut(what, " ")
	fault := configFault{lineOf(body, strings.Split(key, ".")), what, "correct it there and start again"}
	if fault.line == 0 {
		return spade.Errorf(spade.ByUser, fault.next, "configuration %s: %s", spade.Quote(name), what)
	}
	return fault.in(name)
}

// lineOf is the line of the key at path, of the last one on the way to it that is there, or 0.
func lineOf(node ast.Node, path []string) int {
	mapping, ok := node.(*ast.MappingNode)
	if !ok || len(path) == 0 {
		return 0
	}
	for _, entry := range mapping.Values {
		if token := entry.Key.GetToken(); token.Value == path[0] {
			return cmp.Or(lineOf(entry.Value, path[1:]), token.Position.Line)
		}
	}
	return 0
}

// configFault is one thing that is wrong with a configuration file.
type configFault struct {
	line int
	// what is wrong, and what to do next.
	what, next string
}

func (f *configFault) in(name string) error {
	return spade.Errorf(spade.ByUser, f.next, "configuration %s, line %d: %s", spade.Quote(name), f.line, f.what)
}

// configError is an error of the YAML library.
func configError(name string, err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return spade.Errorf(spade.ByUser, "correct the file and start again", "configuration %s: %w", spade.Quote(name), err)
	}
	fault := configFault{at.GetToken().Position.Line, at.GetMessage(), "correct that line and start again"}
	return fault.in(name)
}
