"""Train spade's embedded model with Tinker's own Python package: supervised steps, then reinforcement learning.

    spade serve trainer                                   # in one terminal
    pip install tinker                                    # in another one
    TINKER_BASE_URL=http://127.0.0.1:8700 TINKER_API_KEY=tml-local python examples/tinker_sdk.py

Nothing in here is about spade but the texts: the same script trains what any Tinker server serves.
"""

import tinker
from tinker import types

ROUNDS = 8
SAMPLES = 48

service = tinker.ServiceClient()
base_model = tinker.RestClient().get_server_capabilities().result().supported_models[0].model_name
trainer = service.create_lora_training_client(base_model=base_model, rank=32).result()
tokenizer = trainer.get_tokenizer()


def encode(text):
    return tokenizer.encode(text, add_special_tokens=False)


def supervised(prompt, reply):
    """A datum on which the reply is learnt and the prompt is not."""
    tokens = encode(prompt) + encode(reply)
    weights = [0.0] * len(encode(prompt)) + [1.0] * len(encode(reply))
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={"target_tokens": tokens[1:], "weights": weights[1:]},
    )


def reinforced(prompt, sequence, advantage):
    """A datum on which what was sampled is as good as its advantage says."""
    known, sampled = list(prompt), list(sequence.tokens)
    tokens = known + sampled
    return types.Datum(
        model_input=types.ModelInput.from_ints(tokens[:-1]),
        loss_fn_inputs={
            "target_tokens": tokens[1:],
            "logprobs": [0.0] * (len(known) - 1) + list(sequence.logprobs),
            "advantages": [0.0] * (len(known) - 1) + [advantage] * len(sampled),
        },
    )


# 1. Supervised steps: a question and its answer, until the answer is known.
lesson = [supervised(f"<|play|> crane {n}<|act|>", f" {n + 1}<|done|>") for n in range(1, 20)]
losses = []
for _ in range(ROUNDS):
    trained = trainer.forward_backward(lesson, "cross_entropy")
    stepped = trainer.optim_step(types.AdamParams(learning_rate=2e-3))
    losses.append(trained.result().metrics["loss:sum"] / len(lesson))
    stepped.result()
print(f"supervised: loss per example {losses[0]:.3f} before, {losses[-1]:.3f} after {ROUNDS} steps")
state = trainer.save_state("supervised", overwrite=True).result().path
print(f"saved as {state}")

# 2. Reinforcement learning: any answer that is an even number earns 1. What is sampled comes from the weights as they
# are, and the ratio to the weights that sampled it is clipped as in the paper.
prompt = encode("<|play|> drill<|act|>")
rewards = []
for step in range(ROUNDS):
    sampler = trainer.save_weights_and_get_sampling_client().result()
    asked = types.SamplingParams(max_tokens=8, temperature=1.0, seed=step)
    answer = sampler.sample(types.ModelInput.from_ints(prompt), SAMPLES, asked).result()
    earned = []
    for sequence in answer.sequences:
        word = tokenizer.decode(list(sequence.tokens[:-1])).strip()
        earned.append(1.0 if word.isdigit() and int(word) % 2 == 0 else 0.0)
    mean = sum(earned) / len(earned)
    rewards.append(mean)
    data = [reinforced(prompt, s, (r - mean) / SAMPLES) for s, r in zip(answer.sequences, earned)]
    clips = {"clip_low_threshold": 0.8, "clip_high_threshold": 1.28}
    loss_fn, config = ("importance_sampling", None) if step % 2 else ("ppo", clips)
    trained = trainer.forward_backward(data, loss_fn, config)
    stepped = trainer.optim_step(types.AdamParams(learning_rate=2e-3, grad_clip_norm=1.0))
    trained.result()
    stepped.result()
print(f"reinforced: mean reward {rewards[0]:.2f} before, {rewards[-1]:.2f} after {ROUNDS} steps")

# 3. Back to the saved state, with its optimiser.
again = service.create_training_client_from_state_with_optimizer(state).result()
loss = again.forward(lesson, "cross_entropy").result().metrics["loss:sum"] / len(lesson)
print(f"restored: loss per example {loss:.3f}")

assert losses[-1] < losses[0] / 2, "the supervised steps taught nothing"
assert rewards[-1] > rewards[0] + 0.2, "the reinforced steps taught nothing"
assert loss < losses[-1] + 0.05, "the saved state is not what was saved"
