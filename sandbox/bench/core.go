package bench

import "time"

// OnOneCore keeps every thread of this process, and what it starts from now on, on one core until undo is called.
func OnOneCore() (undo func(), err error) { return onOneCore() }

// Spent returns the processor time of this process, of its fork servers and of the jailed processes that have ended, to
// within 10 ms a fork server. It is for many short-lived processes; one that lives is counted when it ends.
func Spent() time.Duration { return spent() }
