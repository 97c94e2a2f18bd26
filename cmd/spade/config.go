package main

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
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

// decodeRecorded reads the configuration that a run recorded. A run records every key, so one that is missing is a setting
// that the version which began the run did not have: a default of today in its place would change what the run does.
func decodeRecorded(name string, data []byte) (selfplay.Config, error) {
	cfg, err := decodeConfig(name, data)
	if err != nil {
		return cfg, err
	}
	body, err := parseConfig(name, data)
	if err != nil {
		return cfg, err
	}
	var missing []string
	for _, path := range keyPaths(reflect.TypeFor[selfplay.Config](), "") {
		if _, there := lineOf(body, strings.Split(path, ".")); !there {
			missing = append(missing, path)
		}
	}
	if len(missing) > 0 {
		return cfg, spade.Errorf(spade.ByUser,
			"go on with the version that began the run (or put the key back, if you took it out), or start a new run from this file in another folder: spade run "+spade.Quote(name),
			"configuration %s: %s is not there: this run was begun by a version of spade that did not have it", spade.Quote(name), strings.Join(missing, ", "))
	}
	return cfg, nil
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
		return cfg, settingError(name, body, defaults, cfg, err)
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

// differenceOf names the first setting that two configurations do not share, with both values, "" if there is none.
func differenceOf(there, here selfplay.Config) string {
	return fieldDifference(reflect.ValueOf(there), reflect.ValueOf(here), "")
}

func fieldDifference(there, here reflect.Value, path string) string {
	for i := range there.NumField() {
		a, b, key := there.Field(i), here.Field(i), joined(path, yamlKey(there.Type().Field(i)))
		if a.Kind() == reflect.Struct {
			if inside := fieldDifference(a, b, key); inside != "" {
				return inside
			}
		} else if !reflect.DeepEqual(a.Interface(), b.Interface()) {
			return fmt.Sprintf("%s is %v there and %v here", key, a, b)
		}
	}
	return ""
}

// settingError says where in a file the setting stands that err, which Validate gave for cfg, is about. Where the file
// leaves it out, its default does not go with another one, which is then named.
func settingError(name string, body ast.Node, defaults, cfg selfplay.Config, err error) error {
	what := strings.TrimPrefix(err.Error(), "configuration: ")
	key, _, _ := strings.Cut(what, " ")
	line, _ := lineOf(body, strings.Split(key, "."))
	fault := configFault{line, what, "correct it there and start again"}
	if fault.line > 0 {
		return fault.in(name)
	}
	if other, line := disagreeing(body, defaults, cfg, err); line > 0 {
		fault = configFault{line, fmt.Sprintf("the default of %s does not go with this %s: %s", key, other, what),
			fmt.Sprintf("give %s too, or correct %s", key, other)}
		return fault.in(name)
	}
	return spade.Errorf(spade.ByUser, fault.next, "configuration %s: %s", spade.Quote(name), what)
}

// disagreeing is the setting in a file, with its line, whose default would make another error of err, which Validate gave
// for cfg; the line is 0 if there is none.
func disagreeing(body ast.Node, defaults, cfg selfplay.Config, err error) (path string, line int) {
	for _, path := range keyPaths(reflect.TypeFor[selfplay.Config](), "") {
		keys := strings.Split(path, ".")
		line, there := lineOf(body, keys)
		if field := at(&cfg, keys); !there || field.Kind() == reflect.Struct {
			continue
		}
		without := cfg
		at(&without, keys).Set(at(&defaults, keys))
		if other := without.Validate(); other == nil || other.Error() != err.Error() {
			return path, line
		}
	}
	return "", 0
}

// at is the field of a configuration under a path of keys that exists.
func at(cfg *selfplay.Config, keys []string) reflect.Value {
	v := reflect.ValueOf(cfg).Elem()
	for _, key := range keys {
		v, _ = fieldOf(v, key)
	}
	return v
}

// lineOf is the line of the key at path, or of the last one on the way to it that is there, or 0; whole says that all of
// path is there.
func lineOf(node ast.Node, path []string) (line int, whole bool) {
	mapping, ok := node.(*ast.MappingNode)
	if !ok || len(path) == 0 {
		return 0, false
	}
	for _, entry := range mapping.Values {
		if token := entry.Key.GetToken(); token.Value == path[0] {
			if line, whole = lineOf(entry.Value, path[1:]); line > 0 {
				return line, whole
			}
			return token.Position.Line, len(path) == 1
		}
	}
	return 0, false
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
