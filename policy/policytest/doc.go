// Package policytest holds what tests of policies and of their users need: the conformance suite that every
// policy.Sampler and policy.Trainer must pass (Run, RunTrainer), and a scripted sampler whose replies a test
// decides (NewScript).
//
// It owns no policy that learns. It is imported by tests only.
package policytest
