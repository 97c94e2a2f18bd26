# Episodes as coroutines whose model takes a fixed time; steps run in a pool of threads. Prints turns a second.
import asyncio
import sys
import time
from concurrent.futures import ThreadPoolExecutor

episodes, delay, span = int(sys.argv[1]), float(sys.argv[2]), float(sys.argv[3])
scope = {}
exec(sys.stdin.read(), scope)
turns = 0


async def episode(loop, pool, seed):
    global turns
    env = scope["EndlessEnv"]()
    env.reset(seed)
    while True:
        await asyncio.sleep(delay)
        await loop.run_in_executor(pool, env.step, "\\boxed{7}")
        turns += 1


async def main():
    loop = asyncio.get_running_loop()
    with ThreadPoolExecutor(128) as pool:
        tasks = [asyncio.create_task(episode(loop, pool, n)) for n in range(episodes)]
        await asyncio.sleep(min(2.0, span))
        before, begun = turns, time.monotonic()
        await asyncio.sleep(span)
        print((turns - before) / (time.monotonic() - begun), flush=True)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


asyncio.run(main())
