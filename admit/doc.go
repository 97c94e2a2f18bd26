// Package admit decides whether an environment enters a run.
//
// It owns the stages of admission and their probes, the mapping from what the sandbox saw to reason codes, the
// check of hints, and the fingerprint by which copies are known. It does not own how code is run (sandbox), what
// happens to a refused design, or the pool: the pool's index is an interface that the caller implements. It runs
// after a design was read from a reply and before its first episode.
//
// Stages run cheap first, and the first stage with a reason is the last one that runs; its verdict lists the reasons
// found in it, one a code. Two processes under different hash seeds play the same plan in opposite orders, the second once the
// first has broken no contract, and the first goes on to what looks for exploits, many episodes together; all later probes
// only read what those two saw. One file holds one probe; its first comment says what it catches, what it costs and what it cannot
// see. docs/admission.md shows the verdicts on all cases, the costs and what stays undetected.
//
// An Admission runs a source once and keeps its verdict. An Auditor, if there is one, reads what all probes let pass; then
// it is compared with what is like it.
//
// An environment that misbehaves is refused by a verdict. Errors mean that the sandbox's own machinery failed or
// that the context ended.
package admit
