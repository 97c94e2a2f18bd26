"""TRL: GRPOTrainer(rollout_func=spade_rl.trl.rollout_func, reward_funcs=spade_rl.trl.reward, …)

TRL asks for as many completions as it has prompts; which prompts these are does not matter, since spade's environments
bring their own. Rewards are advantages already: set scale_rewards="none". TRL still subtracts the mean of every
num_generations completions in a row.
"""

from spade_rl.client import Client

_waiting = []  # samples that were leased and not yet handed out
_next = None


def rollout_func(prompts, trainer):
    """As many samples of a spade run as there are prompts, in TRL's form."""
    global _next
    client = Client()
    if _next is None:
        _next = getattr(getattr(trainer, "state", None), "global_step", 0)
    while len(_waiting) < len(prompts):
        groups, _ = client.lease(_next, 1)
        _next += 1
        _waiting.extend(sample for group in groups for sample in group)
    taken = [_waiting.pop(0) for _ in prompts]
    return {
        "prompt_ids": [s["tokens"][: -s["response_length"]] for s in taken],
        "completion_ids": [s["tokens"][-s["response_length"] :] for s in taken],
        "logprobs": [s["rollout_log_probs"] for s in taken],
        "env_mask": [s["loss_mask"] for s in taken],
        "spade_reward": [s["reward"] for s in taken],
    }


def reward(completions, spade_reward, **_):
    """The reward function that goes with rollout_func."""
    return list(spade_reward)
