package bench

// OnOneCore keeps every thread of this process, and what it starts from now on, on one core until undo is called.
func OnOneCore() (undo func(), err error) { return onOneCore() }
