"""Threads of a process that shares one heap allocate from it."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

_PROGRAM = """
import ctypes, sys, threading
from gnomon.author_code.processes.memory import share_one_heap
if sys.argv[1] == "shared":
    share_one_heap()
barrier = threading.Barrier(6)
def allocate():
    kept = [bytes(1000 + n) for n in range(100)]
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(5)]
for thread in threads:
    thread.start()
barrier.wait()
ctypes.CDLL(None).malloc_stats()
"""


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_stats"), reason="the C library is not glibc")
@pytest.mark.parametrize(("argument", "is_one"), [("shared", True), ("own", False)])
def test_threads_share_one_heap(argument: str, is_one: bool) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("MALLOC_", "GLIBC_"))}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, argument], check=True, capture_output=True, text=True, env=environ
    )
    assert (done.stderr.count("Arena ") == 1) is is_one, done.stderr
