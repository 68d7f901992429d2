"""`ProcessorShare`: while an api-server has to wait for a processor, its requests use a share of the machine only, so that they do not slow the scheduler and tasks down.

A machine with a free processor answers as many requests as the process can. Otherwise requests wait for their turn (`request_turns.py`) when the share of the
last moments is used up. Short bursts of a client after a pause, as the requests of a page that is opened, do not wait (`client_bursts.py`). Requests of workers, of health probes, and for
files of the page, which cost little, never do.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import time
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Protocol

from starlette.types import ASGIApp, Receive, Scope, Send

from gnomon.api.common.client_bursts import CLIENTS_MAX, ClientBursts
from gnomon.api.common.refusals import answer_refusal
from gnomon.api.common.request_turns import WAITING_MAX, RequestTurns
from gnomon.model.sentences import say
from gnomon.queries.accounts.logins import find_network

SAVED_S = 0.02
"""Processor seconds of the share that are kept for later when no request wants them."""
DEBT_S = 0.5
"""The bursts of clients are taken from the share of the time after them, up to so many processor seconds."""
MEASURE_S = 0.1
"""How often the use of the processors is measured, in seconds: a flood on a machine that becomes busy is limited after so long."""
HOLD_S = 1.0
"""The limit ends so many seconds after the last measurement of a busy machine: requests that are limited wait less for a processor, which says little about the others."""
WAIT_RATIO = 0.4
"""The machine is busy when the event loop waits for a processor for more than this part of the time in which it could run."""
SAMPLE_S = 0.005
"""A measurement needs so many seconds in which the event loop ran or waited for a processor; with less it says nothing."""
FIRST_COST_S = 0.002
"""The processor seconds of a request before any was measured."""
SMOOTHING = 0.3
"""The weight of the newest measurement in the cost of a request."""
EXEMPT_PATHS = frozenset({"/health", "/monitor/health", "/api/v2/monitor/health"})
EXEMPT_FOLDERS = ("/execution/", "/page-assets/")
_SCHEDSTAT = Path("/proc/thread-self/schedstat")


@dataclass(frozen=True, slots=True)
class ProcessorUse:
    """Seconds since the start of the process."""

    process_s: float
    """Processor time of all threads."""
    loop_ran_s: float
    """Processor time of the thread of the event loop."""
    loop_waited_s: float
    """How long that thread could run and had no processor. Always 0 on a kernel that does not count it."""


class ProcessorMeter(Protocol):
    """The clock and the counters of a process."""

    def now(self) -> float:
        """Monotonic seconds."""
        ...

    def read(self) -> ProcessorUse:
        """The use until now; called in the thread of the event loop."""
        ...


class KernelMeter:
    """The counters of Linux: `schedstat` of a thread, see Documentation/scheduler/sched-stats.rst of the kernel."""

    def now(self) -> float:
        """Monotonic seconds."""
        return time.monotonic()

    def read(self) -> ProcessorUse:
        """The use until now. Without the file of the kernel nothing ever waits."""
        ran = waited = 0.0
        with contextlib.suppress(OSError, ValueError):
            nanoseconds = _SCHEDSTAT.read_text().split()
            ran, waited = int(nanoseconds[0]) / 1e9, int(nanoseconds[1]) / 1e9
        return ProcessorUse(time.process_time(), ran, waited)


class RequestBudget:
    """How many requests may begin now."""

    def __init__(self, processors: float, meter: ProcessorMeter) -> None:
        """`processors`: how many of them the requests may use while the machine is busy, for example 0.2."""
        self._processors = processors
        self._meter = meter
        self._bursts = ClientBursts(processors)
        self._now = self._measured_at = meter.now()
        self._use = meter.read()
        self._begun = 0
        self._cost_s = FIRST_COST_S
        self._left_s = SAVED_S
        self._busy_until = self._now

    def update(self) -> None:
        """Measure if it is time, and add what the time since the last call brings."""
        now = self._meter.now()
        if now - self._measured_at >= MEASURE_S:
            self._measure(now)
        self._left_s = min(SAVED_S, self._left_s + (now - self._now) * self._processors)
        self._now = now

    def _measure(self, now: float) -> None:
        use = self._meter.read()
        ran, waited = use.loop_ran_s - self._use.loop_ran_s, use.loop_waited_s - self._use.loop_waited_s
        if ran + waited >= SAMPLE_S and waited > WAIT_RATIO * (ran + waited):
            self._busy_until = now + HOLD_S
        if self._begun:
            newest = (use.process_s - self._use.process_s) / self._begun
            self._cost_s += SMOOTHING * (newest - self._cost_s)
        self._measured_at, self._use, self._begun = now, use, 0

    @property
    def _is_busy(self) -> bool:
        return self._now < self._busy_until

    @property
    def may_begin(self) -> bool:
        """Whether the share allows a request."""
        return not self._is_busy or self._left_s > 0

    def count_exempt(self) -> None:
        """A request begins that is not limited."""
        self._begun += 1

    def count(self, address: str, login: bytes) -> None:
        """A request of the client begins, because the share allows it."""
        self._begun += 1
        self._bursts.charge(address, login, self._now, self._cost_s)
        if self._is_busy:
            self._left_s -= self._cost_s

    def count_burst(self, address: str, login: bytes) -> bool:
        """True when the client has some of its burst left, and a request of it begins."""
        if not self._bursts.has_left(address, login, self._now):
            return False
        self._bursts.charge_address(address, self._now, self._cost_s)
        self.count(address, login)
        self._left_s = max(self._left_s, -DEBT_S)
        return True

    @property
    def pause_s(self) -> float:
        """Seconds until the next request may begin, at most until the next measurement."""
        return min(max(-self._left_s / self._processors, 0.001), MEASURE_S)


class ProcessorShare:
    """The middleware. `share`: of all processors that the process may use, from 0 (excluded) to 1."""

    def __init__(self, app: ASGIApp, share: float, meter: ProcessorMeter | None = None) -> None:
        self._app = app
        self._turns = RequestTurns()
        self._budget = RequestBudget(share * len(os.sched_getaffinity(0)), meter or KernelMeter())
        self._timer: asyncio.TimerHandle | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request when its turn comes; 503 when too many requests of its client wait."""
        if scope["type"] == "http":
            self._budget.update()
            if scope["path"] in EXEMPT_PATHS or scope["path"].startswith(EXEMPT_FOLDERS):
                self._budget.count_exempt()
            elif not await self._wait_for_turn(_find_address(scope), _find_login(scope)):
                refusal = say("requests_of_client_wait", most=WAITING_MAX)
                await answer_refusal(503, refusal, {"Retry-After": "1"})(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _wait_for_turn(self, address: str, login: bytes) -> bool:
        """The request is counted and may begin; False when too many of its address wait already."""
        if self._budget.may_begin and not self._turns:
            self._budget.count(address, login)
            return True
        if self._budget.count_burst(address, login):
            return True
        turn = self._turns.add(address, login)
        if turn is None:
            return False
        self._start_timer()
        await turn
        return True

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._budget.pause_s, self._call_turns)

    def _call_turns(self) -> None:
        self._timer = None
        self._budget.update()
        while self._budget.may_begin and (client := self._turns.call_next()):
            self._budget.count(*client)
        if self._turns:
            self._start_timer()


def _find_address(scope: Scope) -> str:
    """The address of the client, or the network of an IPv6 address: one client has all addresses of it."""
    client = scope.get("client")
    return _find_network(client[0]) if client else ""


_find_network = lru_cache(CLIENTS_MAX)(find_network)


def _find_login(scope: Scope) -> bytes:
    """The hash of what the request shows of its account, unchecked: a header may have 64 KiB, and thousands are remembered."""
    shown = next((value for name, value in scope["headers"] if name in (b"authorization", b"cookie")), b"")
    return hashlib.blake2b(shown, digest_size=16).digest()
