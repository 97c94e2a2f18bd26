// Package wire is what travels over the Tinker protocol: the messages of its requests and results, and what its losses
// mean.
//
// It owns the binary messages (tinker.proto), their JSON forms, and the arithmetic of the losses, which client and
// server share. It owns no connection and no model: policy/tinker is the client, serve/trainer a server. It is used
// whenever one of them reads or writes a body.
//
// The protocol is that of Thinking Machines' Tinker, as its official Python package (0.38) speaks it. All paths are
// below /api/v1/. Work is asked for with one request, which is answered at once with the id of a future, and its result
// is fetched with retrieve_future.
package wire
