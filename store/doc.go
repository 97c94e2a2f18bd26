// Package store is a run on disk. It owns the run's folder and nothing else: not what a cycle means, not the
// form of a checkpoint, not the form of the state that a run hands from cycle to cycle.
//
// A run is one folder:
//
//	config.yaml                    the complete configuration
//	spade.db                       everything but long texts, in SQLite (see schema.sql)
//	environments/<id>.py           the Python source of every environment, named by its content
//	episodes/cycle-00001.parquet   the episodes of one cycle, one row each
//	checkpoints/cycle-00001/       the weights after a cycle; the last two are kept
//	events.jsonl                   one line per environment, refusal and cycle, for dashboards
//	events.out.tfevents.spade      the numbers of every cycle for TensorBoard
//	lock                           held while a process writes
//
// A cycle is committed whole or not at all. Its files are written first, each under a temporary name that is
// synced and then renamed; the SQLite transaction that follows is the one commit point; events.jsonl is
// derived from what was committed and comes last. Resume removes the files of a cycle that never reached its
// commit point and makes events.jsonl agree with the database again, so a run that is killed at any moment
// and resumed leaves the same files, byte for byte, as one that was not. Nothing in them holds a clock.
//
// The package is used at the end of each cycle, when a run starts, and by whoever looks at a run, also while
// another process writes it.
package store
