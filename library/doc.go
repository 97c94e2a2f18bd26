// Package library is the embedded model's world: the themes and mechanics of the environments that it can
// write, the Python source of any of them, demonstrations of how they are designed and played, and the
// held-out suite that self-play is measured on.
//
// It owns data and pure arithmetic. It does not run Python, hold a model or know tokens: the documents that
// the embedded model is warmed up with are conversations of plain messages, like those of a run. It is used
// when the embedded model is pretrained, by experiment arms that take fresh environments from a ladder of
// horizons, and by evaluation, which reads the suites.
//
// Every mechanic asks one small inference a turn. A wrong answer costs a life and is told the right one; who
// survives the horizon wins. Perfect play always wins (the tests play every mechanic under every rule in Python, by
// solution() and by a player that knows the rule), so the ceiling of every environment is 1. Difficulty has axes that
// compose: the horizon above all, lives, a hidden rule, silence about the right answer, decoys, and the size of the
// mechanic's own literal. In most mechanics an answer depends on earlier turns, so that late turns are a skill of
// their own.
//
// In some environments a twist changes the rule of the mechanic. Their first observation says "odd", and only the hint
// says which twist it is: without it, it has to be found out at the price of a life. Mechanics share twists, and some
// pairs of mechanic and twist are held out.
//
// An environment is decided by an Item. Its Python source and its simulation in Go have the same observations
// and the same distribution of episodes, not the same random numbers. One source in sixteen, told by its hash, is
// reserved for the held-out suite and never sampled for anything else.
package library
