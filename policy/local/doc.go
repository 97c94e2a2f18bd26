// Package local is the embedded language model: a small decoder-only transformer that is sampled and trained
// in this process, without a server and without an accelerator.
//
// It owns the model (Model: pre-norm RMSNorm, normalised queries and keys, rotary positions, grouped-query
// attention, SwiGLU and tied embeddings, the form published as Qwen3), its text form (Format), batched
// sampling with a key-value cache, the optimiser step (Policy implements policy.Trainer), the supervised warm
// start (Pretrain) and checkpoints that Hugging Face transformers can load (Load, Save). It does not own the
// tokenizer (policy/token), the matrix kernels (policy/local/kernel), or what the model is trained on.
//
// It is used while environments are designed and played, and once at the end of a cycle to train.
//
// Everything is reproducible bit for bit on one machine and kernel path: a reply depends on its own messages,
// its random stream and the weights, and an optimiser step on its batch and the weights, whatever else runs at
// the same time and however many workers there are.
package local
