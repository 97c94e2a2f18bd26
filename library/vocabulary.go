package library

import (
	"strings"

	"spade"
)

// VocabularySize is the size of the embedded model's tokenizer, and MaxPiece its longest merge in bytes.
const (
	VocabularySize = 1536
	MaxPiece       = 32
)

// vocabularyDocuments is the number of warm-start documents that the tokenizer is trained on.
const vocabularyDocuments = 3000

// Words returns the words that the embedded model's tokenizer must keep whole and apart: the numbers from 0 to
// 99, what the themes are made of, what observations name things with, and the hints.
func Words() []string {
	var words []string
	seen := map[string]bool{}
	add := func(list ...string) {
		for _, w := range list {
			if !seen[w] {
				seen[w] = true
				words = append(words, w)
			}
		}
	}
	for n := range 100 {
		add(number(n))
	}
	for _, t := range themes {
		add(t.Object)
		add(t.Words[:]...)
	}
	add("odd")
	for _, m := range mechanics {
		add(m.opcode)
	}
	for _, closed := range []string{ways, winds, hands, "left right back ahead up down"} {
		add(strings.Fields(closed)...)
	}
	add("ask", "after", "at", "add", "push", "pull", "goal", "see", "off", "win", "in", "out", "by", "set", "get", "go", "to", "near")
	for _, m := range mechanics {
		for _, rule := range m.rules {
			add(rule.name)
		}
	}
	return words
}

// Stems returns the objects of the themes as they stand in class names; other letters follow them there.
func Stems() []string {
	stems := make([]string, len(themes))
	for i, t := range themes {
		stems[i] = t.stem()
	}
	return stems
}

// TokenizerTexts returns the texts to train the embedded model's tokenizer on, as they will be encoded: what
// the warm-start documents of that seed say, each text but source code behind a space.
func TokenizerTexts(seed uint64, passages []spade.Passage) []string {
	var texts []string
	for i := range vocabularyDocuments {
		for _, m := range Documents(seed, i, passages).Messages {
			switch action, boxed := strings.CutPrefix(m.Content, boxOpen); {
			case m.Speaker != spade.Assistant:
				texts = append(texts, " "+m.Content)
			case boxed:
				texts = append(texts, " "+strings.TrimSuffix(action, boxClose))
			default:
				source, hint, _ := strings.Cut(strings.TrimPrefix(m.Content, codeOpen), codeClose)
				texts = append(texts, source, " "+strings.TrimSuffix(hint, hintClose))
			}
		}
	}
	return texts
}
