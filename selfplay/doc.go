// Package selfplay is the loop: the only place that knows the order of the stages.
//
// One cycle designs environments, admits them, plays them blind and with the hint, rewards both roles, updates
// the weights, remembers what was measured and commits all of it at once. The package owns that order, the
// configuration of a run, the arms of an experiment and the state that a run needs to be resumed. It declares
// the Recorder that keeps what was committed, and owns no file itself.
//
// Designs, admissions and plays of different slots overlap freely; every draw comes from a stream named by run
// seed, cycle, slot and purpose, and results are put together in the order of slots, so that the schedule
// decides nothing. The commit of a cycle overlaps with the design and play of the next one and ends before its
// training begins.
package selfplay
