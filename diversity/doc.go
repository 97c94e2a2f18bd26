// Package diversity measures how different environments are.
//
// It owns the normal form of a Python source, the likeness of two environments, the Vendi score of a set, and the
// measure by which a near-duplicate is known. It knows what it is given: sources, objectives, and whatever a caller saw
// of their behaviour; it runs nothing, and refuses nothing. It is asked once a cycle about the last environments, by
// admission about a new one, and by whoever looks at a pool.
//
// Results are the same for the same input on any number of processors.
package diversity
