"""`python -m gnomon.triggerer.child`: a host process. The keeper speaks by the socket, which is descriptor 3.

It is an interpreter of its own, with an environment that names no database: what a trigger does ends this process at most.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import logging
import os
import resource
import signal
import socket
import sys
from typing import NoReturn

from gnomon import log
from gnomon.clock import SystemClock
from gnomon.config import ambient, environment, set_ambient
from gnomon.loading import plugins
from gnomon.triggerer.blocking import BlockWatch, Sleeper, watched_loop
from gnomon.triggerer.host import Host
from gnomon.triggerer.logs import TriggerLogs, TriggerOutput
from gnomon.triggerer.settings import HostLimits, limits_told

SOCKET_FD = 3
DESCRIPTORS_MAX = 65_536
"""Above it, nobody who starts this process has an inheritable one."""
OOM_SCORE = 600
"""When memory runs out, this process goes before the services do."""
FORBIDDEN = ("gnomon.store", "sqlalchemy", "psycopg", "sqlite3", "fastapi")
"""What must not be in a process that author code runs in."""


def main() -> NoReturn:
    """Never returns: the process ends when the keeper says so, or is gone."""
    settle_in()
    limits = limits_told(environment())
    cfg = ambient().for_author_code()
    set_ambient(cfg)
    log.configure("triggerer", cfg.text("logging", "logging_level").upper(), cfg.text("logging", "style").lower())
    keep_logs(str(cfg.logs_folder))
    plugins.enable()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # what waits is no garbage: tens of thousands of coroutines are not walked all the time
    loop, sleeper = watched_loop()
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_serve(socket.socket(fileno=SOCKET_FD), limits, sleeper))
    raise AssertionError("it ended in the loop")


async def _serve(sock: socket.socket, limits: HostLimits, sleeper: Sleeper) -> None:
    loop = asyncio.get_running_loop()
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
    """What a trigger logs or prints goes to the log of its task."""
    root = logging.getLogger()
    root.handlers[:] = [TriggerLogs(folder, list(root.handlers))]
    sys.stdout = TriggerOutput(folder, sys.stdout)  # type: ignore[arg-type]


def settle_in() -> None:
    """A process of its own: own session, no descriptor of who started it, crashes explained on its output."""
    for name in FORBIDDEN:
        if name in sys.modules:
            raise RuntimeError(f"a host process must not import {name}: author code runs in it")
    if os.getsid(0) != os.getpid():
        os.setsid()
    os.closerange(SOCKET_FD + 1, min(resource.getrlimit(resource.RLIMIT_NOFILE)[0], DESCRIPTORS_MAX))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)  # the keeper ends it, in good order
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.enable(file=2, all_threads=False)
    try:
        with open("/proc/self/oom_score_adj", "w", encoding="ascii") as score:
            score.write(str(OOM_SCORE))
    except OSError:
        pass  # not Linux


if __name__ == "__main__":
    main()
