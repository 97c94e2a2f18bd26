// Package reward turns what happened in play into numbers: the return of an episode, the advantages of a group,
// what the designer of an environment earns, and how the losses of tokens become one number.
//
// It owns those formulas and nothing else. It is pure arithmetic: no context, no files, no logs, no randomness,
// so that every number of a run can be computed again from what the run stored. It does not decide which
// environments enter (admit) nor how advantages reach the trainer (learn). It runs after play and before learn in
// every cycle, and whenever somebody asks to have a number explained.
//
// Returns lie in [-1, 1] and win rates in [0, 1]. Where the published method (SPADE, arXiv 2608.19197) and the
// default for small runs differ, the documentation of the function says so.
package reward
