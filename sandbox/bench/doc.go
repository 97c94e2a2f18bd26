// Package bench measures the sandbox on this machine: the speed of a step, the start and the end of a process,
// memory, and what isolation costs, each against a floor that is measured in the same run. It runs only environments
// of its own, for spade bench sandbox. It judges figures against their targets; it changes nothing in the sandbox.
package bench
