"""The embedded model in PyTorch, as fast as one thread of it goes: what `spade bench local` compares itself with.

It is started by that command with the folder of a checkpoint and a batch, says which settings it found to be the
fastest, and then does what it is told on its standard input, one JSON object a line: {"do": "train", "steps": 2} or
{"do": "sample", "sequences": 32, "tokens": 256}. It answers with the processor seconds that this took.
"""

import json
import math
import os
import struct
import sys
import time

import torch
import torch.nn.functional as F


def read_weights(path):
    """Returns the tensors of a float32 safetensors file."""
    with open(path, "rb") as f:
        (size,) = struct.unpack("<Q", f.read(8))
        header = json.loads(f.read(size))
        data = bytearray(f.read())
    header.pop("__metadata__", None)
    return {
        name: torch.frombuffer(data[t["data_offsets"][0] : t["data_offsets"][1]], dtype=torch.float32).view(t["shape"]).clone()
        for name, t in header.items()
    }


class Model(torch.nn.Module):
    """Qwen3's form with the projections of queries, keys and values in one product, and those of gate and up in another."""

    def __init__(self, folder):
        super().__init__()
        with open(os.path.join(folder, "config.json")) as f:
            self.c = c = json.load(f)
        w = read_weights(os.path.join(folder, "model.safetensors"))
        p = lambda t: torch.nn.Parameter(t.contiguous())
        self.embed = p(w["model.embed_tokens.weight"])
        self.norm = p(w["model.norm.weight"])
        self.layers = torch.nn.ModuleList()
        for i in range(c["num_hidden_layers"]):
            get = lambda part: w[f"model.layers.{i}.{part}.weight"]
            layer = torch.nn.Module()
            layer.qkv = p(torch.cat([get("self_attn.q_proj"), get("self_attn.k_proj"), get("self_attn.v_proj")]))
            layer.out = p(get("self_attn.o_proj"))
            layer.gate_up = p(torch.cat([get("mlp.gate_proj"), get("mlp.up_proj")]))
            layer.down = p(get("mlp.down_proj"))
            layer.norm1, layer.norm2 = p(get("input_layernorm")), p(get("post_attention_layernorm"))
            layer.q_norm, layer.k_norm = p(get("self_attn.q_norm")), p(get("self_attn.k_norm"))
            self.layers.append(layer)
        half = c["head_dim"] // 2
        angles = torch.outer(
            torch.arange(c["max_position_embeddings"]).float(), c["rope_theta"] ** (-torch.arange(half).float() / half)
        )
        self.cos, self.sin = angles.cos(), angles.sin()

    def rotate(self, x, cos, sin):
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def heads(self, layer, x, cos, sin):
        """Returns queries, keys and values as [batch, heads, time, head_dim]."""
        c, (n, t, _) = self.c, x.shape
        h, kv, d, eps = c["num_attention_heads"], c["num_key_value_heads"], c["head_dim"], c["rms_norm_eps"]
        qkv = F.linear(F.rms_norm(x, x.shape[-1:], layer.norm1, eps), layer.qkv).view(n, t, h + 2 * kv, d).transpose(1, 2)
        q, k, v = qkv.split([h, kv, kv], dim=1)
        q = self.rotate(F.rms_norm(q, (d,), layer.q_norm, eps), cos, sin)
        return q, self.rotate(F.rms_norm(k, (d,), layer.k_norm, eps), cos, sin), v

    def feed_forward(self, layer, x):
        gate, up = F.linear(F.rms_norm(x, x.shape[-1:], layer.norm2, self.c["rms_norm_eps"]), layer.gate_up).chunk(2, dim=-1)
        return x + F.linear(F.silu(gate) * up, layer.down)

    def forward(self, tokens):
        n, t = tokens.shape
        x, cos, sin = F.embedding(tokens, self.embed), self.cos[:t], self.sin[:t]
        for layer in self.layers:
            q, k, v = self.heads(layer, x, cos, sin)
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
            x = x + F.linear(mixed.transpose(1, 2).reshape(n, t, -1), layer.out)
            x = self.feed_forward(layer, x)
        return F.linear(F.rms_norm(x, x.shape[-1:], self.norm, self.c["rms_norm_eps"]), self.embed)

    def decode(self, tokens, keys, values, t):
        """Reads one token of every sequence at position t, with the keys and values of those before it."""
        n = tokens.shape[0]
        x, cos, sin = F.embedding(tokens, self.embed)[:, None], self.cos[t], self.sin[t]
        for i, layer in enumerate(self.layers):
            q, k, v = self.heads(layer, x, cos, sin)
            keys[i][:, :, t : t + 1], values[i][:, :, t : t + 1] = k, v
            seen_k, seen_v = keys[i][:, :, : t + 1], values[i][:, :, : t + 1]
            mixed = F.scaled_dot_product_attention(q, seen_k, seen_v, enable_gqa=True)
            x = x + F.linear(mixed.transpose(1, 2).reshape(n, 1, -1), layer.out)
            x = self.feed_forward(layer, x)
        return F.linear(F.rms_norm(x[:, 0], x.shape[-1:], self.norm, self.c["rms_norm_eps"]), self.embed)


class Trainer:
    def __init__(self, folder, batch, compiled):
        self.model = Model(folder)
        self.tokens = torch.tensor(batch["tokens"])
        self.advantages = torch.tensor(batch["advantages"])[:, None]
        self.old, self.weight, self.low, self.high = batch["old"], batch["weight"], batch["clip_low"], batch["clip_high"]
        self.loss = torch.compile(self.surrogate) if compiled else self.surrogate
        # The learning rate is so small that the weights, and with them the work, stay what they are.
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-9, betas=(0.9, 0.95), weight_decay=0, fused=True)

    def surrogate(self, tokens):
        logits = self.model(tokens[:, :-1])
        log_probs = -F.cross_entropy(logits.flatten(0, 1), tokens[:, 1:].flatten(), reduction="none").view(tokens.shape[0], -1)
        ratio = (log_probs - self.old).exp()
        bounded = ratio.clamp(1 - self.low, 1 + self.high)
        return -(torch.minimum(ratio * self.advantages, bounded * self.advantages) * self.weight).sum()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.loss(self.tokens)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()
        return loss.item()


@torch.inference_mode()
def sample(model, decode, sequences, tokens):
    c = model.c
    shape = (sequences, c["num_key_value_heads"], tokens, c["head_dim"])
    keys = [torch.zeros(shape) for _ in model.layers]
    values = [torch.zeros(shape) for _ in model.layers]
    current, total = torch.zeros(sequences, dtype=torch.long), torch.zeros(sequences)
    for t in range(tokens):
        log_probs = F.log_softmax(decode(current, keys, values, t), dim=-1)
        current = torch.multinomial(log_probs.exp(), 1)[:, 0]
        total += log_probs.gather(1, current[:, None])[:, 0]
    assert math.isfinite(total.sum().item())


def timed(work):
    started = time.process_time()
    work()
    return time.process_time() - started


def fastest(choices, work, rounds=3):
    """Returns the name of the choice whose work takes least, after one turn that is not counted."""
    best = {}
    for name, choice in choices.items():
        try:
            work(choice)
            best[name] = min(timed(lambda: work(choice)) for _ in range(rounds))
        except Exception as e:  # a setting that this machine lacks, a C++ compiler for example
            print(f"{name}: {e}", file=sys.stderr)
    return min(best, key=best.get)


def main():
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    folder = sys.argv[1]
    with open(sys.argv[2]) as f:
        batch = json.load(f)
    torch.manual_seed(1)
    trainers = {"eager": Trainer(folder, batch, False), "compiled": Trainer(folder, batch, True)}
    loss = trainers["eager"].step()
    train = fastest(trainers, lambda t: t.step())
    model = Model(folder)
    decoders = {"eager": model.decode, "compiled": torch.compile(model.decode, dynamic=True)}
    # Compiling takes long and pays in every size or in none.
    decode = fastest(decoders, lambda d: sample(model, d, 32, 64))
    said = {"torch": torch.__version__, "loss": loss, "train": train, "sample": decode}
    print(json.dumps(said), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        if order["do"] == "train":
            seconds = timed(lambda: [trainers[train].step() for _ in range(order["steps"])])
        else:
            seconds = timed(lambda: sample(model, decoders[decode], order["sequences"], order["tokens"]))
        print(json.dumps({"seconds": seconds}), flush=True)


main()
