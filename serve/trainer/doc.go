// Package trainer serves the embedded model over the Tinker protocol, so that whatever trains with Tinker's official
// Python package trains it.
//
// It owns sessions, models, samplers, futures and the folder of saved weights. A model is a copy of the base model, all
// of whose weights are trained: lora_config is accepted and not used. Requests to a model are worked on in the order of
// their seq_id, whatever the order in which they arrive, and a request that is sent again is answered with the future of
// the first. It owns neither the model's arithmetic (policy/local) nor the form of messages (policy/tinker/wire).
//
// What is in memory is lost when the server ends; what was saved is not. Work that fails is a future that fails, as the
// protocol has it; an HTTP error means that the request could not be given a place.
package trainer
