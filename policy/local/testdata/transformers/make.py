"""Writes expected.json: what Hugging Face transformers computes and reads with the checkpoint in this folder.

    pip install torch transformers && python make.py
"""

import json
import os

import torch
import transformers

HERE = os.path.dirname(os.path.abspath(__file__))
TEXTS = ["<|play|> crane lifts 3 pump", "def step(s,a):\n return 1\n", "drill 77 é\t🙂 <|end|> oven"]

model = transformers.AutoModelForCausalLM.from_pretrained(HERE, dtype=torch.float32, attn_implementation="eager")
tokenizer = transformers.AutoTokenizer.from_pretrained(HERE)
assert type(model).__name__ == "Qwen3ForCausalLM", type(model)
cases = []
for text in TEXTS:
    ids = tokenizer.encode(text, add_special_tokens=False)
    with torch.no_grad():
        last = model(torch.tensor([ids])).logits[0, -1]
    cases.append({"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=True),
                  "last_logits": [round(x, 6) for x in last.tolist()]})
with open(os.path.join(HERE, "expected.json"), "w") as f:
    json.dump({"transformers": transformers.__version__, "torch": torch.__version__, "cases": cases}, f)
