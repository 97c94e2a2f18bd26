// Package openai samples from servers that speak the chat completions protocol: vLLM, SGLang, llama.cpp, Ollama, LM
// Studio and hosted services.
//
// It owns how such a server is asked, what its dialect is, how its answers and failures are read, and how hard it may
// be pressed. It owns no prompts and trains nothing: a Policy is a policy.Sampler only. Connect runs once, before a
// run, and finds out what the server gives; sessions run wherever a conversation does.
//
// An API key comes from the environment alone (see KeyVariables) and is kept out of names, notes and error texts.
package openai
