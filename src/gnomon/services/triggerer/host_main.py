"""`python -m gnomon.services.triggerer.host_main`: a host process. Descriptor 3 is the socket to the triggerer.

The host is a separate interpreter whose environment does not name the database: a trigger can end this process at most.
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

from gnomon.author_code.loading import plugins
from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.child_setup import hide_secrets, inherited_socket, set_up_host_process
from gnomon.author_code.processes.process_title import set_title
from gnomon.author_code.runner import runner_log
from gnomon.authoring.sdk.connections import secrets_lookup
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, environment
from gnomon.services.triggerer.fork_guard import install_fork_guard
from gnomon.services.triggerer.loop_watchdog import LoopWatchdog, SleepAwareSelector, create_watched_loop
from gnomon.services.triggerer.saved_events import SavedEvents, open_saved_events
from gnomon.services.triggerer.settings import TriggerLimits, limits_from_environment
from gnomon.services.triggerer.shared_stream_groups import SharedStreamLimits
from gnomon.services.triggerer.trigger_host import TriggerHost
from gnomon.services.triggerer.trigger_logs import TriggerLogHandler, TriggerOutputStream

THREADS_MAX = 64
"""Threads for `asyncio.to_thread` and name lookups of all triggers; Python's default is five on one processor."""
PARENT_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals to a terminal's process group; the triggerer handles them and stops its hosts."""


def main() -> NoReturn:
    """Run the host; never returns. The process ends when the triggerer says so or has ended."""
    set_up_host_process(PARENT_SIGNALS)
    limits = limits_from_environment(environment())
    cfg = hide_secrets()
    secrets_lookup.prefer_worker_options()
    set_title("trigger host", cfg.home)
    log.configure(
        "triggerer",
        cfg.text("logging", "logging_level").upper(),
        cfg.text("logging", "style").lower(),
        files=log.read_log_files(cfg),
    )
    install_log_handlers(str(cfg.logs_folder))
    plugins.enable_imports()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # tens of thousands of waiting coroutines are not garbage: collect rarely
    loop, selector = create_watched_loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(
            _run_host(inherited_socket(), limits, read_shared_stream_limits(cfg), open_saved_events(cfg), selector)
        )
    raise AssertionError("_run_host() ends the process")


def read_shared_stream_limits(cfg: Config) -> SharedStreamLimits:
    """The limits of shared streams that the options say."""
    return SharedStreamLimits(
        queue_size=cfg.integer("triggerer", "shared_stream_subscriber_queue_size"),
        ack_timeout_s=cfg.number("triggerer", "shared_stream_ack_timeout"),
        grace_s=cfg.number("triggerer", "shared_stream_cohort_grace_period"),
    )


async def _run_host(
    sock: socket.socket,
    limits: TriggerLimits,
    stream_limits: SharedStreamLimits,
    saved_events: SavedEvents,
    selector: SleepAwareSelector,
) -> None:
    loop = asyncio.get_running_loop()
    author_forks.claim_process()
    install_fork_guard(loop, sock.fileno())
    loop.set_default_executor(ThreadPoolExecutor(THREADS_MAX, "triggers"))
    host = TriggerHost(sock, limits.on_kill_s, stream_limits, saved_events)
    watchdog = LoopWatchdog(host, loop.call_soon_threadsafe, SystemClock(), limits.late_s, selector)
    watchdog.start()
    try:
        await host.serve()
    finally:
        watchdog.stop()
        sys.stdout.flush()
        os._exit(0)  # triggers had their time to stop; a thread that author code left running must not delay the end


def install_log_handlers(folder: str) -> None:
    """Write log records, output and warnings of triggers to the log of their task."""
    root = logging.getLogger()
    handler = TriggerLogHandler(folder, list(root.handlers))
    root.handlers[:] = [handler]
    runner_log.set_handler(handler)
    sys.stdout = TriggerOutputStream(folder, sys.stdout)  # type: ignore[arg-type]
    sys.stderr = TriggerOutputStream(folder, sys.stderr)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
