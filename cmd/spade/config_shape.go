package main

import (
	"cmp"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/goccy/go-yaml/ast"

	"spade/selfplay"
)

// checkShape compares a configuration file with the configuration that it is read into, key by key. The YAML library
// would round numbers, read a mistyped list as none, and speak of Go types; nothing that this accepts can fail in it.
// Sections without a value ("learn:" with all of its keys commented out) are taken out of body: they mean the defaults.
func checkShape(body ast.Node, defaults selfplay.Config) *configFault {
	s := shapes{anchors: map[string]ast.Node{}}
	return s.section(body, reflect.ValueOf(defaults), "")
}

// shapes walks a document. It keeps the values that were given a name on the way.
type shapes struct{ anchors map[string]ast.Node }

// resolve returns the value that a node stands for, nil if it stands for one that is not known.
func (s shapes) resolve(node ast.Node) ast.Node {
	switch n := node.(type) {
	case *ast.AnchorNode:
		value := s.resolve(n.Value)
		s.anchors[n.Name.GetToken().Value] = value
		return value
	case *ast.AliasNode:
		return s.anchors[n.Value.GetToken().Value]
	}
	return node
}

// section checks the keys of one struct; path is its own key, "" for the whole file.
func (s shapes) section(node ast.Node, defaults reflect.Value, path string) *configFault {
	mapping, ok := s.resolve(node).(*ast.MappingNode)
	if !ok {
		what := cmp.Or(path, "a configuration")
		return faultAt(node, fmt.Sprintf("%s must hold keys with values, found %s", what, describe(s.resolve(node))),
			"write one key a line, as in: "+sectionExample(defaults, path))
	}
	kept := mapping.Values[:0]
	for _, entry := range mapping.Values {
		key := entry.Key.GetToken().Value
		field, ok := fieldOf(defaults, key)
		if !ok {
			return unknownKey(entry.Key, key, defaults, path)
		}
		if _, empty := s.resolve(entry.Value).(*ast.NullNode); empty && field.Kind() == reflect.Struct {
			continue
		}
		if fault := s.value(entry.Value, field, joined(path, key)); fault != nil {
			return fault
		}
		kept = append(kept, entry)
	}
	mapping.Values = kept
	return nil
}

// value checks one value against the type of its default.
func (s shapes) value(node ast.Node, want reflect.Value, path string) *configFault {
	if want.Kind() == reflect.Struct {
		return s.section(node, want, path)
	}
	found := s.resolve(node)
	if want.Kind() == reflect.Slice {
		list, ok := found.(*ast.SequenceNode)
		if !ok {
			return s.wrong(node, want, path)
		}
		for i, element := range list.Values {
			zero := reflect.Zero(want.Type().Elem())
			if fault := s.value(element, zero, fmt.Sprintf("%s[%d]", path, i)); fault != nil {
				return fault
			}
		}
		return nil
	}
	if !fits(found, want) {
		return s.wrong(node, want, path)
	}
	return nil
}

// fits reports whether a scalar can be read as a value of want's type without loss.
func fits(node ast.Node, want reflect.Value) bool {
	switch n := node.(type) {
	case *ast.IntegerNode:
		if want.CanFloat() {
			return true
		}
		if value, ok := n.Value.(int64); ok && want.CanUint() {
			return value >= 0 && !want.OverflowUint(uint64(value))
		} else if ok {
			return want.CanInt() && !isDuration(want) && !want.OverflowInt(value)
		}
		value, ok := n.Value.(uint64)
		return ok && (want.CanUint() && !want.OverflowUint(value) ||
			want.CanInt() && !isDuration(want) && value <= 1<<63-1 && !want.OverflowInt(int64(value)))
	case *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return want.CanFloat()
	case *ast.BoolNode:
		return want.Kind() == reflect.Bool
	case *ast.LiteralNode:
		return want.Kind() == reflect.String
	case *ast.StringNode:
		switch {
		case isDuration(want):
			_, err := time.ParseDuration(n.Value)
			return err == nil
		case want.CanFloat(): // 3e-4 is text to YAML
			_, err := strconv.ParseFloat(n.Value, 64)
			return err == nil
		}
		return want.Kind() == reflect.String
	}
	return false
}

func isDuration(v reflect.Value) bool { return v.Type() == reflect.TypeFor[time.Duration]() }

// wrong is a value of another type than the key has.
func (s shapes) wrong(node ast.Node, want reflect.Value, path string) *configFault {
	next := "write it without an index, as in a list: skills: [sum, next]"
	if !strings.HasSuffix(path, "]") {
		next = "write for example " + example(want, path)
	}
	return faultAt(node, fmt.Sprintf("%s must be %s, found %s", path, typeName(want), describe(s.resolve(node))), next)
}

func typeName(v reflect.Value) string {
	switch {
	case isDuration(v):
		return "a duration with its unit"
	case v.CanUint():
		return "a whole number from 0"
	case v.CanInt():
		return "a whole number"
	case v.CanFloat():
		return "a number"
	case v.Kind() == reflect.Bool:
		return "true or false"
	case v.Kind() == reflect.Slice:
		return "a list"
	}
	return "text"
}

// describe says what stands in the file.
func describe(node ast.Node) string {
	switch n := node.(type) {
	case nil:
		return "a name that nothing was given before"
	case *ast.NullNode:
		return "nothing"
	case *ast.MappingNode:
		return "keys with values"
	case *ast.SequenceNode:
		return "a list"
	case *ast.LiteralNode:
		return "text of several lines"
	case *ast.TagNode:
		return "a tag"
	case *ast.StringNode:
		return fmt.Sprintf("the text %q", clip(n.Value, 60))
	}
	return clip(node.GetToken().Value, 60)
}

// example is a key with its default, on one line.
func example(v reflect.Value, path string) string {
	key := path[strings.LastIndexByte(path, '.')+1:]
	if v.Kind() != reflect.Slice {
		return fmt.Sprintf("%s: %v", key, v.Interface())
	}
	elements := make([]string, v.Len())
	for i := range elements {
		elements[i] = fmt.Sprint(v.Index(i).Interface())
	}
	return fmt.Sprintf("%s: [%s]", key, strings.Join(elements, ", "))
}

// sectionExample is the first key of a section.
func sectionExample(v reflect.Value, path string) string {
	for _, key := range keysOf(v.Type()) {
		if field, _ := fieldOf(v, key); field.Kind() != reflect.Struct {
			if path == "" {
				return example(field, key)
			}
			return fmt.Sprintf("%s: {%s}", path[strings.LastIndexByte(path, '.')+1:], example(field, key))
		}
	}
	return path
}

// unknownKey names the key that was probably meant: one of the same section first, then one of the whole file.
func unknownKey(node ast.Node, key string, section reflect.Value, path string) *configFault {
	what := fmt.Sprintf("there is no key %q", clip(key, 60))
	if path != "" {
		what += " under " + path
	}
	if near := nearest(key, keysOf(section.Type())); near != "" {
		return faultAt(node, what, fmt.Sprintf("did you mean %q?", near))
	}
	paths := keyPaths(reflect.TypeFor[selfplay.Config](), "")
	for _, at := range paths {
		if at == key || strings.HasSuffix(at, "."+key) {
			return faultAt(node, what, "it belongs elsewhere: "+whereTo(at))
		}
	}
	return faultAt(node, what, "leave it out; the keys here are "+strings.Join(keysOf(section.Type()), ", "))
}

// whereTo says where a key is written.
func whereTo(path string) string {
	if section, key, nested := strings.Cut(path, "."); nested {
		return fmt.Sprintf("%q under %q", key, section)
	}
	return fmt.Sprintf("%q at the left margin", path)
}

func faultAt(node ast.Node, what, next string) *configFault {
	return &configFault{node.GetToken().Position.Line, what, next}
}

func joined(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// fieldOf returns the field of a struct that a YAML key names.
func fieldOf(v reflect.Value, key string) (reflect.Value, bool) {
	for i := range v.NumField() {
		if yamlKey(v.Type().Field(i)) == key && key != "" {
			return v.Field(i), true
		}
	}
	return reflect.Value{}, false
}

// keysOf are the YAML keys of a struct.
func keysOf(t reflect.Type) []string {
	var keys []string
	for i := range t.NumField() {
		if key := yamlKey(t.Field(i)); key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// keyPaths are the YAML keys of a struct and of the structs in it, with dots between.
func keyPaths(t reflect.Type, path string) []string {
	var paths []string
	for i := range t.NumField() {
		field := t.Field(i)
		key := yamlKey(field)
		if key == "" {
			continue
		}
		paths = append(paths, joined(path, key))
		if field.Type.Kind() == reflect.Struct {
			paths = append(paths, keyPaths(field.Type, joined(path, key))...)
		}
	}
	return paths
}

// yamlKey is the key of a field, "" if it has none.
func yamlKey(field reflect.StructField) string {
	key, _, _ := strings.Cut(field.Tag.Get("yaml"), ",")
	if key == "-" {
		return ""
	}
	return key
}
