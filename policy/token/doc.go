// Package token turns text into the token ids of a model and back: byte-level byte-pair encoding in the
// Hugging Face tokenizer.json form, restricted to what the embedded model uses.
//
// It owns reading, writing and training of such a tokenizer, and encoding and decoding with it. It does not
// own how a conversation is laid out in special tokens; policy/local does. Training happens once, when the
// embedded model is made; encoding and decoding at every moment of a run.
//
// The form, so that the tokenizers library computes the same ids from the same file: text is first cut at
// barrier words (Split by a regular expression of them, Isolated), the pieces become byte symbols (ByteLevel
// without prefix space), and each piece is encoded on its own: as one token if the vocabulary holds it whole
// (ignore_merges), else by applying merges in order of rank (Sennrich et al. 2016, over bytes as in GPT-2).
// Barrier words are therefore one token each and never part of another, wherever they stand.
//
// Special tokens have ids of their own that no text encodes to: text that looks like one is encoded as text.
package token
