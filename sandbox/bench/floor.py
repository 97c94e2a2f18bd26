"""What the sandbox is compared with: the same work in a plain Python, without a jail and mostly without a process.

Usage: floor.py loop|fork|serve SEED STEPS, with the source of an environment on the first line of standard input as
a JSON string.
"""
import json
import os
import sys
import time


def loop(env, steps):
    """Microseconds of one step with its JSON, request and answer, in one process: the median, then steps a second of
    processor time."""
    request = json.dumps({"nonce": "0123456789abcdef", "ops": [["step", 1, "\\boxed{1}"]]})
    times = []
    started = time.process_time()
    for _ in range(steps):
        before = time.perf_counter()
        message = json.loads(request)
        observation, reward, terminated, truncated, info = env.step(message["ops"][0][2])
        json.dumps({"nonce": message["nonce"], "results": [{"ok": [
            observation, reward, terminated, truncated, json.dumps(info)]}]})
        if terminated:
            env.reset(seed=0)
        times.append(time.perf_counter() - before)
    elapsed = time.process_time() - started
    times.sort()
    return [times[steps // 2] * 1e6, steps / elapsed]


def fork(env, times):
    """Milliseconds of fork, exit and wait with numpy loaded: the median."""
    import numpy  # noqa: F401  it is what makes the process large
    taken = []
    for _ in range(times):
        before = time.perf_counter()
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
        taken.append(time.perf_counter() - before)
    taken.sort()
    return [taken[times // 2] * 1e3]


def serve(env, _):
    """Answers every line with one step, as the simplest program with one process an environment does."""
    for line in sys.stdin:
        observation, reward, terminated, truncated, info = env.step(json.loads(line)["action"])
        if terminated:
            env.reset(seed=0)
        print(json.dumps([observation, reward, terminated, truncated, info]), flush=True)


def main():
    scope = {"__name__": "environment"}
    exec(json.loads(sys.stdin.readline()), scope)
    env = next(value for name, value in scope.items() if name.endswith("Env"))()
    env.reset(seed=int(sys.argv[2]))
    figures = globals()[sys.argv[1]](env, int(sys.argv[3]))
    if figures:
        print(json.dumps(figures))


main()
