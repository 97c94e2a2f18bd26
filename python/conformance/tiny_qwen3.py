"""Writes a small, randomly initialised Qwen3 into a folder: tiny_qwen3.py DIR"""

import sys

import torch
from transformers import Qwen3Config, Qwen3ForCausalLM

torch.manual_seed(0)
config = Qwen3Config(
    vocab_size=151936,  # that of the published tokenizer
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=4,
    num_key_value_heads=2,
    head_dim=8,
    max_position_embeddings=8192,
    tie_word_embeddings=True,
)
Qwen3ForCausalLM(config).save_pretrained(sys.argv[1])
