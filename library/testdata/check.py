"""Plays environments hard. Reads a JSON list of {"source", "seeds"} from standard input and writes, for each,
what went wrong or the transcripts of its plays: those of its solution and those with three mistakes in ten turns."""
import json, random, sys


def load(source):
    names = {}
    exec(compile(source, "environment.py", "exec"), names)
    return next(v for k, v in names.items() if k.endswith("Env"))


def play(cls, seed, choose):
    env = cls()
    out = env.reset(seed)
    assert type(out) is tuple and type(out[0]) is str and type(out[1]) is dict, out
    turns, observation = [], out[0]
    while True:
        answer = env.solution()
        action = choose(env, len(turns), answer)
        said, reward, terminated, truncated, info = step(env, action)
        turns.append([observation, action, answer, reward])
        observation = said
        if terminated:
            break
        assert reward == 0 and len(turns) < 25, turns
    for action in ("", "\\boxed{%s}" % answer, "junk", "\\boxed{%s}" % env.solution()):
        after = step(env, action)
        assert after[1] == 0 and after[2], ("after the end", after)
    return turns, observation


def step(env, action):
    out = env.step(action)
    assert type(out) is tuple and len(out) == 5, out
    said, reward, terminated, truncated, info = out
    assert type(said) is str and type(reward) is float and reward in (0, 1), out
    assert type(terminated) is bool and type(truncated) is bool and type(info) is dict, out
    return out


def right(env, turn, answer):
    return "\\boxed{%s}" % answer


JUNK = ["", " ", "\\boxed{}", "\\boxed{ }", "\\boxed{", "é\0", "\\boxed{-1}", "x" * 1000, "\\boxed{\\boxed{1}}", "None"]


def check(item):
    cls = load(item["source"])
    state = random.getstate()
    transcripts, mistaken = [], []
    for seed in item["seeds"]:
        turns, final = play(cls, seed, right)
        assert final == "won" and turns[-1][3] == 1, (final, turns)
        assert (turns, final) == play(cls, seed, right), "not deterministic"
        transcripts.append([t[:2] for t in turns] + [[final, ""]])
        coin = random.Random(seed)
        turns, final = play(cls, seed, lambda env, turn, answer: "\\boxed{%s}" % (answer if coin.random() < 0.7 else "?"))
        mistaken.append([t[:2] for t in turns] + [[final, ""]])
        for choose in (
            lambda env, turn, answer: JUNK[turn % len(JUNK)],
            lambda env, turn, answer: answer,
            lambda env, turn, answer: "\\boxed{%s %s}" % (answer, answer),
        ):
            turns, final = play(cls, seed, choose)
            assert final == "lost" and turns[-1][3] == 0, (final, turns)
    assert len({str(t) for t in transcripts}) > 1, "seeds do not matter"
    assert len({str([turn[1] for turn in t]) for t in transcripts}) > 1, "always the same answers"
    assert random.getstate() == state, "the global generator was used"
    return {"won": transcripts, "mistaken": mistaken}


results = []
for item in json.load(sys.stdin):
    try:
        results.append(check(item))
    except Exception as e:
        results.append({"error": "%s: %s" % (type(e).__name__, e)})
json.dump(results, sys.stdout)
