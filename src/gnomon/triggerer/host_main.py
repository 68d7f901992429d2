"""`python -m gnomon.triggerer.host_main`: a host process. The keeper speaks by the socket, which is descriptor 3.

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
from gnomon.config import environment
from gnomon.loading import plugins
from gnomon.processes.child_setup import hide_secrets, inherited_socket, set_up_host_process
from gnomon.processes.process_title import set_title
from gnomon.triggerer.fork_guard import install_fork_guard
from gnomon.triggerer.loop_watchdog import LoopWatchdog, SleepAwareSelector, create_watched_loop
from gnomon.triggerer.settings import TriggerLimits, limits_from_environment
from gnomon.triggerer.trigger_host import TriggerHost
from gnomon.triggerer.trigger_logs import TriggerLogHandler, TriggerOutputStream

THREADS_MAX = 64
"""Of all triggers, for `asyncio.to_thread` and for names that are looked up; without a number there were five on one processor."""
PARENT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that are for the keeper, which ends its hosts in good order."""


def main() -> NoReturn:
    """Never returns: the process ends when the keeper says so, or is gone."""
    set_up_host_process(PARENT_SIGNALS)
    limits = limits_from_environment(environment())
    cfg = hide_secrets()
    set_title("trigger host", cfg.home)
    log.configure("triggerer", cfg.text("logging", "logging_level").upper(), cfg.text("logging", "style").lower())
    install_log_handlers(str(cfg.logs_folder))
    plugins.enable_imports()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # what waits is no garbage: tens of thousands of coroutines are not walked all the time
    loop, sleeper = create_watched_loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_run_host(inherited_socket(), limits, sleeper))
    raise AssertionError("it ended in the loop")


async def _run_host(sock: socket.socket, limits: TriggerLimits, sleeper: SleepAwareSelector) -> None:
    loop = asyncio.get_running_loop()
    install_fork_guard(loop, sock.fileno())
    loop.set_default_executor(ThreadPoolExecutor(THREADS_MAX, "triggers"))
    host = TriggerHost(sock, limits.on_kill_s)
    watch = LoopWatchdog(host, loop.call_soon_threadsafe, SystemClock(), limits.late_s, sleeper)
    watch.start()
    try:
        await host.serve()
    finally:
        watch.stop()
        sys.stdout.flush()
        os._exit(0)  # what still runs had its time; no thread that an author left behind holds this up


def install_log_handlers(folder: str) -> None:
    """What a trigger logs, prints or warns of goes to the log of its task."""
    root = logging.getLogger()
    root.handlers[:] = [TriggerLogHandler(folder, list(root.handlers))]
    sys.stdout = TriggerOutputStream(folder, sys.stdout)  # type: ignore[arg-type]
    sys.stderr = TriggerOutputStream(folder, sys.stderr)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
