// Package tinker samples and trains a model on a server that speaks the Tinker protocol: hosted Tinker, SkyRL's tx, or
// `spade serve trainer`.
//
// It owns the connection (retries, futures, the session's life), the numbering of requests, the form in which a batch
// becomes data, and where a run's weights are kept on the server. It owns neither the messages (policy/tinker/wire) nor
// how a model lays out conversations (Layout). It is used while environments are designed and played, and once at the
// end of a cycle to train.
//
// Tokens are never encoded again: what is sent to train on is what was sampled, with the log-probabilities that the
// server stated. After every step the sampler is renewed, so that replies come from the weights that were just trained.
package tinker
