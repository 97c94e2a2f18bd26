package token

import (
	"fmt"
	"unicode/utf8"
)

// In the file every byte is written as a printable character: itself where it is one in Latin-1, else the
// next character from U+0100 on. These tables are that bijection.
var (
	symbolOf [256]rune
	byteOf   = map[rune]byte{}
)

func init() {
	next := rune(0x100)
	for b := range 256 {
		r := rune(b)
		if !('!' <= r && r <= '~' || 0xA1 <= r && r <= 0xAC || 0xAE <= r && r <= 0xFF) {
			r = next
			next++
		}
		symbolOf[b] = r
		byteOf[r] = byte(b)
	}
}

// symbols writes raw bytes as they stand in the file.
func symbols(raw string) string {
	out := make([]byte, 0, 2*len(raw))
	for i := range len(raw) {
		out = utf8.AppendRune(out, symbolOf[raw[i]])
	}
	return string(out)
}

// rawBytes is the inverse of symbols.
func rawBytes(text string) (string, error) {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		b, ok := byteOf[r]
		if !ok {
			return "", fmt.Errorf("token %q holds %q, which stands for no byte", text, r)
		}
		out = append(out, b)
	}
	return string(out), nil
}
