package spade

import (
	"crypto/sha256"
	"encoding/hex"
)

// Passage is a piece of text from a corpus on which one design is grounded.
type Passage struct {
	// ID is the first 16 hex digits of the SHA-256 of Text (see ContentID).
	ID string `json:"id"`
	// Text is the passage itself, valid UTF-8, never empty.
	Text string `json:"text"`
	// Source says where it was read: file name and line, for example "notes.jsonl:12".
	Source string `json:"source"`
	// Meta holds the other keys of the record it came from. The key "skill" fixes the skill of designs
	// grounded on this passage.
	Meta map[string]any `json:"meta,omitempty"`
}

// Skill returns the skill that the passage's metadata names, or "" if it names none.
func (p Passage) Skill() string {
	s, _ := p.Meta["skill"].(string)
	return s
}

// ContentID returns the first 16 hex digits of the SHA-256 of text: the identity of passages and environments.
func ContentID(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}
