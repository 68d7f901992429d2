"""`python -m gnomon.triggerer.child`: a host process. The keeper speaks by the socket, which is descriptor 3.

It is an interpreter of its own, with an environment that names no database: what a trigger does ends this process at most.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import socket
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import NoReturn

from gnomon import log
from gnomon.clock import SystemClock
from gnomon.config import ambient, environment, set_ambient
from gnomon.loading import plugins
from gnomon.processes.interpreters import given_socket
from gnomon.processes.settling import settle_in
from gnomon.processes.titles import set_title
from gnomon.triggerer.blocking import BlockWatch, Sleeper, watched_loop
from gnomon.triggerer.copies import keep_out
from gnomon.triggerer.host import Host
from gnomon.triggerer.logs import TriggerLogs, TriggerOutput
from gnomon.triggerer.settings import HostLimits, limits_told

THREADS_MAX = 64
"""Of all triggers, for `asyncio.to_thread` and for names that are looked up; without a number there were five on one processor."""
KEEPERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that are for the keeper, which ends its hosts in good order."""


def main() -> NoReturn:
    """Never returns: the process ends when the keeper says so, or is gone."""
    settle_in(KEEPERS)
    limits = limits_told(environment())
    cfg = ambient().for_author_code()
    set_ambient(cfg)
    set_title("trigger host", cfg.home)
    log.configure("triggerer", cfg.text("logging", "logging_level").upper(), cfg.text("logging", "style").lower())
    keep_logs(str(cfg.logs_folder))
    plugins.enable()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # what waits is no garbage: tens of thousands of coroutines are not walked all the time
    loop, sleeper = watched_loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_serve(given_socket(), limits, sleeper))
    raise AssertionError("it ended in the loop")


async def _serve(sock: socket.socket, limits: HostLimits, sleeper: Sleeper) -> None:
    loop = asyncio.get_running_loop()
    keep_out(loop, sock.fileno())
    loop.set_default_executor(ThreadPoolExecutor(THREADS_MAX, "triggers"))
    host = Host(sock, limits.on_kill_s)
    watch = BlockWatch(host, loop.call_soon_threadsafe, SystemClock(), limits.late_s, sleeper)
    watch.start()
    try:
        await host.serve()
    finally:
        watch.end()
        sys.stdout.flush()
        os._exit(0)  # what still runs had its time; no thread that an author left behind holds this up


def keep_logs(folder: str) -> None:
    """What a trigger logs, prints or warns of goes to the log of its task."""
    root = logging.getLogger()
    root.handlers[:] = [TriggerLogs(folder, list(root.handlers))]
    sys.stdout = TriggerOutput(folder, sys.stdout)  # type: ignore[arg-type]
    sys.stderr = TriggerOutput(folder, sys.stderr)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
