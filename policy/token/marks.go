package token

import (
	"cmp"
	"slices"
	"strings"
)

// marks are the added tokens that text is searched for before anything else, longest first, by their first byte.
type marks map[byte][]mark

type mark struct {
	text string
	id   int32
}

func (m marks) add(text string, id int32) {
	list := append(m[text[0]], mark{text, id})
	slices.SortFunc(list, func(a, b mark) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
	})
	m[text[0]] = list
}

// at returns the longest mark that text begins with; ok is false if there is none.
func (m marks) at(text string) (found mark, ok bool) {
	list := m[text[0]]
	for len(list) > 0 { // all of one length are sorted, and few lengths exist
		size := len(list[0].text)
		end, _ := slices.BinarySearchFunc(list, size, func(k mark, size int) int { return cmp.Compare(size-1, len(k.text)) })
		if size <= len(text) {
			i, hit := slices.BinarySearchFunc(list[:end], text[:size], func(k mark, want string) int { return strings.Compare(k.text, want) })
			if hit {
				return list[i], true
			}
		}
		list = list[end:]
	}
	return mark{}, false
}

// cut calls plain for the stretches of text between marks, and marked for each mark, in order.
func (m marks) cut(text string, plain func(string), marked func(id int32)) {
	done := 0
	for i := 0; len(m) > 0 && i < len(text); {
		found, ok := m.at(text[i:])
		if !ok {
			i++
			continue
		}
		if i > done {
			plain(text[done:i])
		}
		marked(found.id)
		i += len(found.text)
		done = i
	}
	if done < len(text) {
		plain(text[done:])
	}
}
