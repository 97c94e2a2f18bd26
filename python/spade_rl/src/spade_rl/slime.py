"""slime: --rollout-function-path spade_rl.slime.generate_rollout

Rewards are advantages already, so slime must not normalise them:

    --rollout-function-path spade_rl.slime.generate_rollout --n-samples-per-prompt 1
    --disable-rewards-normalization --disable-grpo-std-normalization --use-tis

An acknowledgement follows from saving: wrap the data source with `acknowledge` where your script makes it, or call
`Client().ack(rollout_id)` beside your own checkpoints. Without it nothing is lost: leases are kept by number.
"""

from spade_rl.client import Client


def generate_rollout(args, rollout_id, data_source, evaluation=False):
    """One rollout of slime: args.rollout_batch_size groups of a spade run."""
    from slime.rollout.base_types import RolloutFnTrainOutput
    from slime.utils.types import Sample

    if evaluation:
        raise ValueError("spade measures held-out environments itself (spade eval): run slime without --eval-interval")
    groups, metrics = Client().lease(rollout_id, args.rollout_batch_size)
    samples = [[Sample.from_dict(dict(s)) for s in group] for group in groups]
    return RolloutFnTrainOutput(samples=samples, metrics=metrics)


def acknowledge(data_source):
    """data_source, with an acknowledgement after each of its saves."""
    save = data_source.save

    def saved(rollout_id):
        save(rollout_id)
        Client().ack(rollout_id)

    data_source.save = saved
    return data_source
