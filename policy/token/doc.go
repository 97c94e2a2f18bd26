// Package token turns text into the token ids of a model and back: byte-pair encoding in the Hugging Face tokenizer.json
// form, for the embedded model and for the families that policy/render lays out (Qwen3, Llama 3, Gemma 3, GPT-OSS).
//
// It owns reading such a tokenizer, encoding and decoding with it, and the writing and training of the embedded model's. It
// does not own how a conversation is laid out in special tokens; policy/local and policy/render do. Training happens once,
// when the embedded model is made; encoding and decoding at every moment of a run.
//
// The ids are those that the tokenizers library computes from the same file, and text comes back as it was, but for what
// the file's own normalisation folds (Qwen3 composes characters, Gemma 3 has one sign for a space). The one intended
// difference: special tokens have ids of their own that no text encodes to; text that looks like one is encoded as text.
//
// The embedded model's form: text is first cut at barrier words (Split by a regular expression of them, Isolated), the
// pieces become byte symbols (ByteLevel without prefix space), and each piece is encoded on its own: as one token if the
// vocabulary holds it whole (ignore_merges), else by applying merges in order of rank (Sennrich et al. 2016, over bytes as
// in GPT-2). Barrier words are therefore one token each and never part of another, wherever they stand.
package token
