package corpus

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// indexJSONL finds the passages of a JSON Lines file.
func indexJSONL(r io.Reader) (index, error) {
	var x index
	err := eachLine(r, func(l line) {
		if len(bytes.TrimSpace(l.text())) == 0 {
			return
		}
		if l.damaged() {
			x.skip(l.number)
			return
		}
		if _, _, ok := decodeRecord(l.text()); !ok {
			x.skip(l.number)
			return
		}
		x.add(l.offset, l.end(), l.number)
	})
	return x, err
}

// decodeRecord reads one record: its passage and its metadata. Numbers in the metadata are json.Number, or strings where
// they are beyond a float64.
func decodeRecord(data []byte) (text string, meta map[string]any, ok bool) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&meta); err != nil {
		return "", nil, false
	}
	if _, err := dec.Token(); err != io.EOF {
		return "", nil, false
	}
	for _, key := range []string{"orig_doc", "text"} {
		if s, isString := meta[key].(string); isString && strings.TrimSpace(s) != "" {
			text, ok = s, true
			break
		}
	}
	delete(meta, "orig_doc")
	delete(meta, "text")
	if len(meta) == 0 {
		return text, nil, ok
	}
	return text, storable(meta).(map[string]any), ok
}

// storable is a value of metadata in which numbers that no float64 can hold are texts, in place: what is stored must be
// read again.
func storable(value any) any {
	switch v := value.(type) {
	case json.Number:
		if _, err := v.Float64(); err != nil {
			return v.String()
		}
	case map[string]any:
		for key := range v {
			v[key] = storable(v[key])
		}
	case []any:
		for i := range v {
			v[i] = storable(v[i])
		}
	}
	return value
}
