"""TRL: GRPOTrainer(rollout_func=spade_rl.trl.rollout_func, reward_funcs=spade_rl.trl.reward, …)

TRL asks for as many completions as it has prompts; which prompts these are does not matter, since spade's environments
bring their own. Rewards are advantages already: set scale_rewards="none". TRL still subtracts the mean of every
num_generations completions in a row.

How many samples a group has is not known before it is leased, so groups are leased one by one, under numbers that say for
which step of the trainer, for which of its processes, and as which group there: `number`. What a step leased belongs to it
alone. A trainer that goes on from a checkpoint leases the groups of the steps after it again, and none that steps before it
were trained on. What a step leaves of its last group is used in the next one; a trainer that is restarted in between
passes it over.
"""

from spade_rl.client import Client


def number(step, process, group):
    """The number under which a process of a trainer leases a group, from 0, in a step: at most 100,000 each in 10,000 processes."""
    return (step * 10_000 + process) * 100_000 + group


class _Leases:
    """What one trainer leases in this process."""

    def __init__(self):
        self.step = -1
        self.groups = 0  # leased in this step
        self.waiting = []  # samples that were leased and not yet handed out

    def take(self, n, step, process):
        """The next n samples, in a step."""
        if step < self.step:  # back at a checkpoint: what waits will be leased again
            self.waiting = []
        if step != self.step:
            self.step, self.groups = step, 0
        while len(self.waiting) < n:
            groups, _ = Client().lease(number(step, process, self.groups), 1)
            self.groups += 1
            self.waiting += [sample for group in groups for sample in group]
        taken, self.waiting = self.waiting[:n], self.waiting[n:]
        return taken


def rollout_func(prompts, trainer):
    """As many samples of a spade run as there are prompts, in TRL's form."""
    leases = vars(trainer).setdefault("_spade_leases", _Leases())
    taken = leases.take(len(prompts), trainer.state.global_step, trainer.accelerator.process_index)
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
