// Package lab is the paper in miniature: arms × seeds (× sizes of the embedded model) as ordinary runs, and what
// follows from them in numbers, words and one page.
//
// It owns the plan of an experiment, the order in which its runs are played, the statistics over seeds and held-out
// environments, the claims and the report. It owns no run: each is played and kept as `spade run` plays and keeps it,
// which is why a lab can be killed at any moment and started again. It sees runs through Machine, which the command
// line implements.
//
// Everything it computes is determined by the runs, with one exception: processor time, which it measures (Meter) and
// keeps outside of them.
package lab
