// Package local measures the embedded model: training and sampling on one thread against PyTorch and against the
// machine's own peak, and on two.
//
// It owns the measurement and pytorch.py, the same model in PyTorch; results.md holds what they gave and how to get it
// again. It does not own the Go benchmarks of single parts, which are beside those parts. It runs in
// `spade bench local`.
//
// Rates are per second of processor time where one thread is measured, so that they mean the same on a machine that
// others use too; what two workers gain can only be seen on the clock, on an idle machine. Both sides take turns,
// and a ratio is the median of the ratios of the rounds.
package local
