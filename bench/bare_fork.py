"""The machine's own limit: fork, exit, wait, from a process of about 25 MB, two at a time."""

from __future__ import annotations

import json
import os
import subprocess
import sys

FORKS = 600

PROGRAM = """
import asyncio, sqlite3, email, http.client, logging, gc, os, time
gc.collect(); gc.freeze()
forks, at_a_time = {forks}, {at_a_time}
begun = time.monotonic()
living = started = 0
while started < forks or living:
    while living < at_a_time and started < forks:
        if os.fork() == 0:
            os._exit(0)
        living += 1
        started += 1
    os.wait()
    living -= 1
print(forks / (time.monotonic() - begun))
"""


def bare_fork_rate(at_a_time: int = 2) -> float:
    """Forks a second of a new interpreter that has imported what a small service has."""
    program = PROGRAM.format(forks=FORKS, at_a_time=at_a_time)
    said = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, env=dict(os.environ))
    return float(said.stdout)


if __name__ == "__main__":
    print(json.dumps({"two_at_a_time": round(bare_fork_rate(2), 1), "one_at_a_time": round(bare_fork_rate(1), 1)}))
