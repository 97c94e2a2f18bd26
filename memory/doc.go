// Package memory remembers the environments of a run with how teachable each was when it was last played.
//
// It owns which environments are kept, which are shown to the designer as examples and which are played again. It
// does not play or score them (play, reward), nor does it word a prompt (design). It is asked before designs and
// replays of a cycle, and told the measurements after them; its state is plain JSON that travels with the run.
//
// All of it is determined: no clock, no map order, and the one random choice draws from the stream it is given.
package memory
