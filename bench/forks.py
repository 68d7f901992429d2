"""What this machine can do at best: fork, `os._exit(0)`, wait, from a process of about 25 MB. The yardstick of the executor."""

from __future__ import annotations

import subprocess
import sys

_PROGRAM = """
import asyncio, email, gc, http.client, logging, os, sqlite3, sys, time
gc.collect(); gc.freeze()
width, count = int(sys.argv[1]), int(sys.argv[2])
began, live = time.perf_counter(), 0
for _ in range(count):
    if live == width:
        os.wait(); live -= 1
    if os.fork() == 0:
        os._exit(0)
    live += 1
while live:
    os.wait(); live -= 1
print(count / (time.perf_counter() - began))
"""


def fork_rate(width: int, count: int = 600) -> float:
    """Forks a second with `width` children at a time."""
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(width), str(count)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


if __name__ == "__main__":
    for width in (1, 2):
        print(f"bare fork, {width} at a time: {fork_rate(width):.0f}/s")
