package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"

	"github.com/goccy/go-yaml"

	"spade"
	"spade/selfplay"
)

// readConfig reads a configuration file over the defaults. Keys that are left out keep their default; a key
// that does not exist is an error that names the line and the nearest key that does.
func readConfig(path string) (selfplay.Config, error) {
	data, err := readFile(path, maxTextFile)
	if err != nil {
		return selfplay.Config{}, spade.Errorf(spade.ByUser, "name a YAML file, or give none to run with the defaults",
			"read the configuration: %w", err)
	}
	return decodeConfig(path, data)
}

// decodeConfig reads the configuration in data over the defaults; name is used in errors.
func decodeConfig(name string, data []byte) (selfplay.Config, error) {
	cfg := selfplay.Default()
	if err := yaml.UnmarshalWithOptions(data, &cfg, yaml.Strict()); err != nil && !errors.Is(err, io.EOF) {
		return cfg, configError(name, err)
	}
	if reflect.ValueOf(cfg).IsZero() { // nothing but comments: a document without a value
		cfg = selfplay.Default()
	}
	return cfg, cfg.Validate()
}

// encodeConfig is the complete, resolved configuration as YAML.
func encodeConfig(cfg selfplay.Config) ([]byte, error) {
	data, err := yaml.Marshal(cfg)
	if err != nil {
		return nil, fmt.Errorf("write the configuration: %w", err)
	}
	return data, nil
}

func configError(name string, err error) error {
	var at yaml.Error
	if !errors.As(err, &at) || at.GetToken() == nil {
		return spade.Errorf(spade.ByUser, "correct the file and start again", "configuration %s: %w", name, err)
	}
	line, what := at.GetToken().Position.Line, at.GetMessage()
	next := "correct that line and start again"
	var unknown *yaml.UnknownFieldError
	if errors.As(err, &unknown) {
		key := unknown.Token.Value
		what = fmt.Sprintf("there is no key %q", key)
		if near := nearest(key, configKeys(reflect.TypeFor[selfplay.Config]())); near != "" {
			next = fmt.Sprintf("did you mean %q?", near)
		}
	}
	return spade.Errorf(spade.ByUser, next, "configuration %s, line %d: %s", name, line, what)
}

// configKeys are the YAML keys of a struct and of the structs in it.
func configKeys(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		field := t.Field(i)
		if key, _, _ := strings.Cut(field.Tag.Get("yaml"), ","); key != "" && key != "-" {
			keys = append(keys, key)
		}
		if field.Type.Kind() == reflect.Struct {
			keys = append(keys, configKeys(field.Type)...)
		}
	}
	return keys
}

// nearest returns the known word closest to word, or "" if none is close enough to be meant.
func nearest(word string, known []string) string {
	best, distance := "", len(word)/2+1
	for _, k := range known {
		if d := editDistance(word, k); d < distance {
			best, distance = k, d
		}
	}
	return best
}

// editDistance is the Levenshtein distance in bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
