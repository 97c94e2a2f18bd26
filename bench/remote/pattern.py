# Episodes as coroutines whose model takes a fixed time; steps run in a pool of threads. For every line SETTLE SPAN on
# standard input it plays that long and prints what happened in the span: turns, seconds, seconds of processor time.
import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor

episodes, delay, source = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3]
scope = {}
exec(source, scope)
turns = 0


async def episode(loop, pool, seed):
    global turns
    env = scope["EndlessEnv"]()
    env.reset(seed)
    await asyncio.sleep(delay * seed / episodes)  # no wave of all of them
    while True:
        await asyncio.sleep(delay)
        await loop.run_in_executor(pool, env.step, "\\boxed{7}")
        turns += 1


async def measure(settle, span):
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(128) as pool:
        tasks = [asyncio.create_task(episode(loop, pool, n)) for n in range(episodes)]
        await asyncio.sleep(settle)
        before = turns, time.monotonic(), time.process_time()
        await asyncio.sleep(span)
        after = turns, time.monotonic(), time.process_time()
        print(*(b - a for a, b in zip(before, after)), flush=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


for line in sys.stdin:
    asyncio.run(measure(*map(float, line.split())))
