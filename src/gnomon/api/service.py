"""The api-server process: uvicorn on a socket that already listens, until SIGTERM or Ctrl-C."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import resource
import socket
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import uvicorn

from gnomon.api.access.choose_policy import create_context
from gnomon.api.app import create_app
from gnomon.api.common.limits import SafeHeaders
from gnomon.api.context import CLOSE_WAIT_S, ApiContext
from gnomon.api.facts_preload import FactsPreload
from gnomon.api.health_reader import HealthReader
from gnomon.api.http_protocol import HttpProtocol
from gnomon.api.server_heartbeat import ApiServerHeartbeat
from gnomon.author_code.processes.memory import share_one_heap
from gnomon.author_code.timetable_host import HostSlots, share_hosts
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config
from gnomon.ground.wakeups import STOP_SIGNALS

if TYPE_CHECKING:
    from gnomon.api.running_simulations import StartSimulation

KEEP_ALIVE_S = 15
"""An idle connection is closed after this time."""
GC_THRESHOLDS = (50_000, 20, 50)
"""New objects before a collection of the youngest generation, and collections of a generation before one of the next."""
SWITCH_INTERVAL_S = 0.0005
"""How long a thread computes before another one that waits gets its turn (Python's own value is ten times that): a short request passes through three threads, and
waits for each turn while a long one is computed."""
IDLE_LOOKS = 6
"""How often a server that may end when it is idle looks, within that time."""
DRAIN_S = 3
"""How long unfinished requests may continue after SIGTERM."""
HOSTS_MAX, HOSTS_KEPT = 4, 2
CHECK_HOSTS_MAX, CHECK_HOSTS_KEPT = 4, 1
"""Processes for code of authors (timetables, partition mappers, plugins, connection tests) that requests have started, and those that wait for the next one."""
_log = log.get_logger("api")
DESCRIPTORS = 8_192
"""Each open connection has a descriptor. Many systems give a process 1,024, and let it ask for more."""


class ApiServer(uvicorn.Server):
    """A uvicorn server that sleeps until it has something to do: uvicorn's own loop wakes ten times a second."""

    def __init__(
        self, config: uvicorn.Config, end_streams: Callable[[], object], count_streams: Callable[[], int] = lambda: 0
    ) -> None:
        """`end_streams`: called when the server is told to stop, because streams do not end by themselves. `count_streams`: how many are open, or are computed for somebody."""
        super().__init__(config)
        self._end_streams = end_streams
        self._count_streams = count_streams
        self._stop_requested = asyncio.Event()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """The event loop receives the signals (`main_loop`)."""
        yield

    async def main_loop(self) -> None:
        """Return after the first signal to stop."""
        loop = asyncio.get_running_loop()
        for number in STOP_SIGNALS:
            with contextlib.suppress(RuntimeError, ValueError):  # not in the main thread
                loop.add_signal_handler(number, self._stop_requested.set)
        await self._stop_requested.wait()
        self._end_streams()

    async def end_when_idle(self, idle_s: float) -> None:
        """Stop the server when no request has arrived for that time, and nobody is connected."""
        seen, since = -1, 0.0
        while True:
            state, now = self.server_state, asyncio.get_running_loop().time()
            if state.total_requests != seen or state.connections or state.tasks or self._count_streams():
                seen, since = state.total_requests, now
            elif now - since >= idle_s:
                _log.info("api_server_idle", after_s=round(now - since))
                self.request_stop()
                return
            await asyncio.sleep(max(idle_s / IDLE_LOOKS, since + idle_s - now))

    def request_stop(self) -> None:
        """Stop as after a signal; to be called in the event loop of the server."""
        self._stop_requested.set()


def create_server(context: ApiContext, after_loading: Callable[[], None] = lambda: None) -> ApiServer:
    """The server of the application; `serve(sockets=[listener])` runs it. `after_loading`: called when operations were loaded that were asked for first.

    `proxy_headers=False`: uvicorn itself would believe headers of every program of this machine; `trusted_proxies.py` reads them.
    """
    app = create_app(context)
    app.after_loading = after_loading
    return ApiServer(
        uvicorn.Config(
            SafeHeaders(app),
            log_config=None,
            log_level="critical",
            access_log=False,
            lifespan="on",
            server_header=False,
            date_header=False,
            timeout_keep_alive=KEEP_ALIVE_S,
            timeout_graceful_shutdown=DRAIN_S,
            loop="asyncio",
            http=HttpProtocol,
            ws="none",
            proxy_headers=False,
        ),
        context.event_hub.close,
        lambda: context.event_hub.stream_count + context.simulation_count,
    )


def tune_garbage_collector() -> None:
    """Collect rarely: the application and the facts of ten thousand DAGs stay in memory, and each full collection would read all of them again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def main(
    cfg: Config,
    listener: socket.socket,
    idle_end_s: float = 0.0,
    start_simulation: StartSimulation | None = None,
) -> int:
    """Answer requests on the listening socket until SIGTERM or Ctrl-C; returns the exit code. `idle_end_s`: end after so long without a request; 0: never.

    `start_simulation`: starts the process of a simulation, which a layer above knows.
    """
    _raise_descriptor_limit()
    share_one_heap()
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    clock = SystemClock()
    reader = HealthReader(cfg, clock)
    context = create_context(cfg, clock, listener.getsockname()[0], reader.read_health)
    context.start_simulation = start_simulation
    server = create_server(context, tune_garbage_collector)
    tune_garbage_collector()
    hosts = HostSlots(HOSTS_MAX, HOSTS_KEPT)
    check_hosts = HostSlots(CHECK_HOSTS_MAX, CHECK_HOSTS_KEPT)
    share_hosts(hosts, check_hosts)
    _log.info("api_server_started")
    heartbeat = ApiServerHeartbeat(context.server_figures, lambda: context.database)
    preload = FactsPreload(context.facts, lambda: context.database)
    preload.start()
    asyncio.run(_serve(server, listener, heartbeat, idle_end_s))
    preload.stop(CLOSE_WAIT_S)
    heartbeat.close()
    hosts.close()
    context.close()
    reader.close()
    _log.info("api_server_stopped")
    return 0


async def _serve(server: ApiServer, listener: socket.socket, heartbeat: ApiServerHeartbeat, idle_end_s: float) -> None:
    tasks = [asyncio.create_task(heartbeat.run())]
    if idle_end_s:
        tasks.append(asyncio.create_task(server.end_when_idle(idle_end_s)))
    try:
        await server.serve(sockets=[listener])
    finally:
        for task in tasks:
            task.cancel()


def _raise_descriptor_limit() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    limit = DESCRIPTORS if hard == resource.RLIM_INFINITY else min(DESCRIPTORS, hard)
    if soft != resource.RLIM_INFINITY and soft < limit:
        resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))
