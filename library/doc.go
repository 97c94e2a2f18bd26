// Package library is the embedded model's world: the themes and mechanics of the environments that it can
// write, the Python source of any of them, demonstrations of how they are designed and played, and the
// held-out suite that self-play is measured on.
//
// It owns data and pure arithmetic. It does not run Python, hold a model or know tokens: the documents that
// the embedded model is warmed up with are conversations of plain messages, like those of a run. It is used
// when the embedded model is pretrained, by experiment arms that take fresh environments from a ladder of
// horizons, and by evaluation, which reads the suite.
//
// Every mechanic asks one small inference a turn, for a number of turns (the horizon) that is the measure of
// difficulty. A wrong answer costs a life and is told the right one; who survives the horizon wins. In some
// environments a twist changes the rule of the mechanic. Their first observation says "odd", and only the hint
// says which twist it is.
//
// An environment is decided by an Item. Its Python source and its simulation in Go have the same observations
// and the same distribution of episodes, not the same random numbers.
package library
