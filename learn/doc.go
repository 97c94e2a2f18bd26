// Package learn turns the episodes and designs of a cycle, with their advantages, into the batch that a trainer takes
// one optimiser step on.
//
// It owns which trajectories train, how the two roles and the arms are weighed against each other, and the accounting
// of tokens. It does not compute rewards or advantages (reward), and it touches no token: what was sampled is what is
// trained on, with the log-probabilities of the weights that sampled it, so that the trainer can form importance ratios.
// Nothing is cut off or encoded again. It runs once a cycle, between reward and the trainer.
package learn
