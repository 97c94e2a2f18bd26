// Package reply reads what a model said: boxed actions, tool calls, answers, code blocks, hints.
//
// It owns the reading of replies and nothing else: how a model is asked belongs to design and play, what an
// action is worth to the environment. All functions are pure, accept any text, and run after every reply of a
// policy.
//
// They share one rule: only what is said after thinking counts. A draft inside <think>…</think> is neither an
// action nor a call, and a reply whose thinking never ends says nothing.
package reply
