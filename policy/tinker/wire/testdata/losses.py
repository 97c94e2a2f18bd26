"""Writes losses.json: the protocol's losses and their slopes on random data, by PyTorch's automatic differentiation.

    pip install torch && python losses.py > losses.json
"""

import json

import torch

torch.manual_seed(7)
torch.set_default_dtype(torch.float64)
N = 64


def clip(ratio, low, high):
    return torch.clamp(ratio, low, high)


LOSSES = {
    "cross_entropy": ({}, lambda l, q, a, w, c: -(w * l)),
    "importance_sampling": ({}, lambda l, q, a, w, c: -(torch.exp(l - q) * a)),
    "ppo": (
        {"clip_low_threshold": 0.8, "clip_high_threshold": 1.28},
        lambda l, q, a, w, c: -torch.minimum(
            torch.exp(l - q) * a, clip(torch.exp(l - q), c["clip_low_threshold"], c["clip_high_threshold"]) * a
        ),
    ),
    "cispo": (
        {"clip_low_threshold": 0.0, "clip_high_threshold": 1.5},
        lambda l, q, a, w, c: -(
            clip(torch.exp(l - q), c["clip_low_threshold"], c["clip_high_threshold"]).detach() * l * a
        ),
    ),
    "dro": ({"beta": 0.05}, lambda l, q, a, w, c: -(l * a - c["beta"] / 2 * (l - q) ** 2)),
}

cases = []
for name, (config, loss) in LOSSES.items():
    l = (-4 * torch.rand(N)).requires_grad_()
    # What crosses the wire is float32.
    q = (l.detach() + 0.5 * torch.randn(N)).clamp(max=0).float().double()
    a = torch.randn(N).float().double()
    w = torch.rand(N).float().double()
    values = loss(l, q, a, w, config)
    values.sum().backward()
    cases.append(
        {
            "loss": name,
            "config": config,
            "logprob": l.tolist(),
            "old": q.tolist(),
            "advantage": a.tolist(),
            "weight": w.tolist(),
            "value": values.tolist(),
            "slope": l.grad.tolist(),
        }
    )
print(json.dumps({"torch": torch.__version__, "cases": cases}))
