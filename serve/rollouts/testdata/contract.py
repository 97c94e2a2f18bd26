"""The contracts of slime and TRL, held against what spade_rl gives them."""

import dataclasses
import importlib
import inspect
import sys
import types


def stand_in():
    """slime's modules as far as the plugin touches them: the fields of Sample, and the output of a rollout."""

    @dataclasses.dataclass
    class Sample:
        group_index: int = None
        index: int = None
        prompt: str = ""
        tokens: list = dataclasses.field(default_factory=list)
        response: str = ""
        response_length: int = 0
        label: str = None
        reward: float = None
        loss_mask: list = None
        weight_versions: list = dataclasses.field(default_factory=list)
        rollout_log_probs: list = None
        status: str = "pending"
        metadata: dict = dataclasses.field(default_factory=dict)

        @staticmethod
        def from_dict(data):
            assert data["status"] in ("pending", "completed", "truncated", "aborted", "failed")
            return Sample(**data)

    @dataclasses.dataclass
    class RolloutFnTrainOutput:
        samples: list
        metrics: dict = None

    for name, members in {
        "slime": {}, "slime.rollout": {}, "slime.utils": {},
        "slime.rollout.base_types": {"RolloutFnTrainOutput": RolloutFnTrainOutput}, "slime.utils.types": {"Sample": Sample},
    }.items():
        module = types.ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module


try:
    from slime.utils.types import Sample  # noqa: F401

    print("slime: the real Sample")
    try:
        import slime.rollout.base_types  # noqa: F401
    except ImportError as e:
        print("slime: its outputs are stood in for:", e)
        module = types.ModuleType("slime.rollout.base_types")
        module.RolloutFnTrainOutput = dataclasses.make_dataclass("RolloutFnTrainOutput", ["samples", ("metrics", dict, None)])
        sys.modules["slime.rollout.base_types"] = module
except ImportError as e:
    print("slime: stood in for:", e)
    stand_in()

import spade_rl.slime
import spade_rl.trl

# slime calls with these names and defaults.
signature = inspect.signature(spade_rl.slime.generate_rollout)
assert [(p.name, p.default) for p in signature.parameters.values()] == [
    ("args", inspect.Parameter.empty), ("rollout_id", inspect.Parameter.empty),
    ("data_source", inspect.Parameter.empty), ("evaluation", False)], signature
args = types.SimpleNamespace(rollout_batch_size=2)
out = spade_rl.slime.generate_rollout(args, 5, None)
assert len(out.samples) == 2 and all(len(group) == 2 for group in out.samples)
for sample in (s for group in out.samples for s in group):
    assert len(sample.loss_mask) == sample.response_length == len(sample.rollout_log_probs) <= len(sample.tokens)
    assert sample.reward is not None and getattr(sample.status, "value", sample.status) == "completed"
    assert sample.metadata["raw_reward"] in (0, 1)
assert out.metrics["rollout/num_actor_samples"] == 4, out.metrics
again = spade_rl.slime.generate_rollout(args, 5, None)
assert [[s.index for s in g] for g in again.samples] == [[s.index for s in g] for g in out.samples]


class Source:
    saved = None

    def save(self, rollout_id):
        self.saved = rollout_id


source = spade_rl.slime.acknowledge(Source())
source.save(5)
assert source.saved == 5

# TRL calls with prompts and trainer, and reads these keys.
try:
    from trl import GRPOTrainer
    import trl

    assert "rollout_func" in inspect.signature(GRPOTrainer.__init__).parameters
    print("TRL", trl.__version__)
except ImportError as e:
    print("TRL: not here:", e)
assert list(inspect.signature(spade_rl.trl.rollout_func).parameters) == ["prompts", "trainer"]
leased = {}  # the samples behind each number


class Recorder(spade_rl.Client):
    def lease(self, rollout_id, n):
        groups, metrics = super().lease(rollout_id, n)
        samples = [s["index"] for group in groups for s in group]
        assert leased.setdefault(rollout_id, samples) == samples, "a number has other samples the second time"
        return groups, metrics


def trainer_at(step, process=0):
    return types.SimpleNamespace(state=types.SimpleNamespace(global_step=step), accelerator=types.SimpleNamespace(process_index=process))


def samples_of(numbers):
    return {index for number in numbers for index in leased[number]}


spade_rl.trl.Client = Recorder
trainer = trainer_at(6)
got = spade_rl.trl.rollout_func(["a", "b", "c"], trainer)
assert {"prompt_ids", "completion_ids", "logprobs"} <= set(got)
for key, values in got.items():
    assert len(values) == 3, key
for completion, logprobs, mask in zip(got["completion_ids"], got["logprobs"], got["env_mask"]):
    assert len(completion) == len(logprobs) == len(mask)
assert spade_rl.trl.reward(completions=got["completion_ids"], spade_reward=got["spade_reward"], prompts=None) == got["spade_reward"]

# A trainer that is restarted from a checkpoint gets what its steps leased before, and nothing of the steps before them.
# Groups have two samples here, so the fourth of step 6 is used in step 7, unless the trainer was restarted in between.
sixth = set(leased)
trainer.state.global_step = 7
spade_rl.trl.rollout_func(["a", "b", "c"], trainer)
seventh = set(leased) - sixth
assert len(sixth) == 2 and len(seventh) == 1, leased
first_time = dict(leased)
leased.clear()
importlib.reload(spade_rl.trl).Client = Recorder
spade_rl.trl.rollout_func(["a", "b", "c"], trainer_at(7))
assert seventh < set(leased) and all(leased[n] == first_time[n] for n in seventh), (first_time, leased)
assert not samples_of(leased) & {index for n in sixth for index in first_time[n]}, (first_time, leased)



# So does one that goes back in the same process. Every process and every call of a step has numbers of its own.
class Endless:
    """Leases of groups of three samples, for any number."""

    numbers = []

    def lease(self, rollout_id, n):
        self.numbers.append(rollout_id)
        sample = {"tokens": [rollout_id, 0], "response_length": 1, "rollout_log_probs": [0.0], "loss_mask": [1], "reward": 0.0}
        return [[sample] * 3] * n, {}


spade_rl.trl.Client = Endless
first, second = trainer_at(8), trainer_at(8, process=1)
for trainer, step in [(first, 8), (second, 8), (first, 8), (first, 9), (first, 9)]:
    trainer.state.global_step = step
    spade_rl.trl.rollout_func(["a", "b"], trainer)
assert len(set(Endless.numbers)) == len(Endless.numbers) == 4, Endless.numbers
trainer.state.global_step = 8
again = spade_rl.trl.rollout_func(["a", "b"], trainer)
assert Endless.numbers[4:] == Endless.numbers[:1], Endless.numbers
assert again["prompt_ids"] == [Endless.numbers[:1]] * 2, again

# When the run is over, that is said.
try:
    spade_rl.Client().lease(99, 100)
    raise AssertionError("a run that is over has more")
except spade_rl.Exhausted as e:
    print(e)
