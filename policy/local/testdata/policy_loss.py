"""Writes policy_loss.json: the policy-gradient losses and their gradients in the logits, by PyTorch.

    pip install torch && python policy_loss.py > policy_loss.json
"""

import json

import torch

torch.manual_seed(11)
torch.set_default_dtype(torch.float64)
ROWS, VOCABULARY = 24, 17
LOSSES = {
    "clipped": {"clip_low": 0.2, "clip_high": 0.28, "truncation": 0.0},
    "importance sampling": {"clip_low": 1.0, "clip_high": 1e9, "truncation": 0.0},
    "truncated": {"clip_low": 0.2, "clip_high": 0.28, "truncation": 1.2},
}

cases = []
for name, c in LOSSES.items():
    logits = (1.5 * torch.randn(ROWS, VOCABULARY)).float().double().requires_grad_()
    token = torch.randint(VOCABULARY, (ROWS,))
    new = torch.log_softmax(logits, -1)
    chosen = new.gather(-1, token[:, None])[:, 0]
    old = (chosen.detach() + 0.4 * torch.randn(ROWS)).clamp(max=0)
    reference = (chosen.detach() + 0.4 * torch.randn(ROWS)).clamp(max=0)
    advantage, weight, entropy, kl = torch.randn(ROWS), torch.rand(ROWS), 0.1 * torch.rand(ROWS), 0.1 * torch.rand(ROWS)
    ratio = torch.exp(chosen - old)
    if c["truncation"] > 0:
        surrogate = ratio.clamp(max=c["truncation"]).detach() * advantage * chosen
    else:
        bounded = ratio.clamp(1 - c["clip_low"], 1 + c["clip_high"])
        surrogate = torch.minimum(ratio * advantage, bounded * advantage)
    away = reference - chosen
    loss = -weight * surrogate - entropy * -(new.exp() * new).sum(-1) + kl * (torch.exp(away) - away - 1)
    loss.sum().backward()
    cases.append(
        {
            "name": name,
            **c,
            "logits": logits.tolist(),
            "token": token.tolist(),
            "old": old.tolist(),
            "reference": reference.tolist(),
            "advantage": advantage.tolist(),
            "weight": weight.tolist(),
            "entropy": entropy.tolist(),
            "kl": kl.tolist(),
            "loss": loss.tolist(),
            "gradient": [[round(g, 9) for g in row] for row in logits.grad.tolist()],
        }
    )
print(json.dumps({"torch": torch.__version__, "cases": cases}))
