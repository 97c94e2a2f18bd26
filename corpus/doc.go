// Package corpus reads the passages on which designs are grounded, and draws from them.
//
// It owns the reading of JSON Lines, plain text and Markdown (a file, or a folder of them), the index that
// finds a passage again without holding all texts in memory, the order in which a run draws passages, and the
// built-in corpus. It does not own what becomes of a passage: prompts belong to design, and which passages a
// run used is recorded by the store.
//
// A corpus is indexed once, before the first cycle; drawing reads single passages from disk while the run
// goes on. Damaged records are skipped and counted: they never stop a run, and an error means that a file
// could not be read at all or that nothing is left to draw from.
//
// # JSON Lines
//
// One record a line. The passage is the value of "orig_doc" where that is a string that is not blank, else the
// value of "text"; all other keys are metadata. Lines end in LF only, with or without CR before it; a byte
// order mark is dropped. Blank lines mean nothing. A line that is not valid UTF-8, not one JSON object, or
// without a passage is skipped. Lines may be up to 1 GiB long.
//
// # Plain text and Markdown
//
// Paragraphs (runs of lines that are not blank) are joined, in order, into passages of at most 400 words. In
// Markdown a heading starts a new passage if the one before has 100 words or more, a heading always stays with
// the paragraph that follows it (the two together may exceed the limit by the heading), and a fenced block is
// one paragraph. A paragraph is cut, between two words, only if it is longer than the limit by itself. Lines that are not valid
// UTF-8 are left out and counted. Words are what white space separates.
package corpus
