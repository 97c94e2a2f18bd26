"""Draws the tasks of reasoning.json: `pip install reasoning-gym==0.1.25 && python reasoning.py > reasoning.json`.

reasoning-gym (https://github.com/open-thought/reasoning-gym, Apache-2.0) makes and answers the tasks. Here they
are said in the few words that the embedded model knows: numbers up to 99 and the words of the library."""
import json
import re

import reasoning_gym

# name of the dataset, its settings, how its numbers are put
TASKS = [
    ("chain_sum", dict(min_terms=2, max_terms=2, min_digits=1, max_digits=1), "at {0} add {1}"),
    ("chain_sum", dict(min_terms=3, max_terms=3, min_digits=1, max_digits=1), "at {0} add {1} add {2}"),
    ("products", dict(min_terms=2, max_terms=2, min_digits=1, max_digits=1), "at {0} set {1}"),
    ("gcd", dict(min_numbers=2, max_numbers=2, min_value=2, max_value=24), "at {0} to {1}"),
    ("lcm", dict(min_numbers=2, max_numbers=2, min_value=2, max_value=9), "at {0} goal {1}"),
    ("count_primes", dict(min_n=1, max_n=40), "at {0} to {1} get"),
    ("number_sequence", dict(min_terms=4, max_terms=5, min_value=0, max_value=9, max_complexity=1), None),
]


def draw(name, settings, wording):
    seen, kept = set(), []
    for entry in reasoning_gym.create_dataset(name, seed=20261129, size=2000, **settings):
        question = entry["question"]
        if name == "chain_sum" and "-" in question:
            continue
        if name == "count_primes":
            numbers = [entry["metadata"]["start"], entry["metadata"]["end"]]
        else:
            numbers = [int(n) for n in re.findall(r"-?\d+", question)]
        answer = str(entry["answer"]).strip()
        if not answer.isdigit() or not all(0 <= n <= 99 for n in numbers + [int(answer)]):
            continue
        said = wording.format(*numbers) if wording else " ".join(map(str, numbers)) + " next"
        if wording and wording.count("{") != len(numbers):
            continue
        if said not in seen:
            seen.add(said)
            kept.append([said.replace(" next", " go"), answer])
        if len(kept) == 24:
            break
    assert len(kept) >= 12, (name, len(kept))
    return {"dataset": name, "questions": kept}


print("[" + ",\n".join(json.dumps(draw(*task)) for task in TASKS) + "]")
