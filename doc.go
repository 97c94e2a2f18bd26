// Package spade is the vocabulary of self-play in adaptive synthetic executable environments: the nouns that
// every other package speaks, as plain types.
//
// It owns passages, environments, verdicts, episodes and their turns, messages, the errors that say at which
// boundary something failed, and the named random streams from which every draw of a run comes. It owns no
// behaviour beyond that: nothing here reads a file, runs Python or samples a model, and it imports only the
// standard library. It is used at every moment of a run and changes state at none.
//
// The folders beside it read in the order in which data flows: corpus, design (with reply), sandbox, admit,
// play, reward, learn, memory. The package selfplay is the only one that knows that order.
package spade
