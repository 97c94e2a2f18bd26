// Package render lays conversations out in the tokens of published model families: Qwen3, Llama 3, Gemma 3 and GPT-OSS,
// with tools and thinking.
//
// It owns what stands around a message in each family, and how a sampled reply reads. It owns neither the tokenizer
// (policy/token) nor sampling: policies that send tokens to a server, as policy/tinker, use it for every prompt. The
// embedded model has a form of its own (policy/local).
//
// A conversation grows by appending. What was sampled stays as it was sampled: it is never decoded and encoded again, so
// what is trained on is what the model said. Where a publisher's template rewrites history, this package does not: the
// thoughts of earlier turns stay (Qwen3's template drops them), and a reply of GPT-OSS keeps the token that ended it.
// Everything else is as the publishers' own templates render it; testdata holds what they give. Text from outside never
// becomes a token that controls the conversation, whatever it says.
package render
