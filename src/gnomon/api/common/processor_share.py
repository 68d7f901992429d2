"""`ProcessorShare`: while an api-server has to wait for a processor, its requests use a share of the machine only, so that they do not slow the scheduler and tasks down.

A machine with a free processor answers as many requests as the process can. Otherwise requests wait for their turn (`request_turns.py`) when the share of the
last moments is used up. Short bursts, as the requests of a page that is opened, do not wait. Requests of workers, of health probes, and for files of the page, which cost little, never do.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from gnomon.api.common.request_turns import WAITING_MAX, RequestTurns

BURST_S = 1.0
"""Processor seconds that may be used at once after a pause."""
MEASURE_S = 0.25
"""How often the use of the processors is measured, in seconds."""
WAIT_RATIO = 0.4
"""The machine is busy when the event loop waits for a processor for more than this part of the time in which it could run."""
SAMPLE_S = 0.005
"""A measurement needs so many seconds in which the event loop ran or waited for a processor; with less it says nothing."""
FIRST_COST_S = 0.002
"""The processor seconds of a request before any was measured."""
SMOOTHING = 0.3
"""The weight of the newest measurement in the cost of a request."""
EXEMPT = ("/execution/", "/health", "/monitor/health", "/api/v2/monitor/health", "/page-assets/")
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
        self._measured_at = self._filled_at = meter.now()
        self._use = meter.read()
        self._begun = 0
        self._cost_s = FIRST_COST_S
        self._left_s = BURST_S
        self._is_busy = False

    def update(self) -> None:
        """Measure if it is time, and add what the time since the last call brings."""
        now = self._meter.now()
        if now - self._measured_at >= MEASURE_S:
            self._measure(now)
        self._left_s = min(BURST_S, self._left_s + (now - self._filled_at) * self._processors)
        self._filled_at = now

    def _measure(self, now: float) -> None:
        use = self._meter.read()
        ran, waited = use.loop_ran_s - self._use.loop_ran_s, use.loop_waited_s - self._use.loop_waited_s
        if ran + waited >= SAMPLE_S:
            self._is_busy = waited > WAIT_RATIO * (ran + waited)
        elif not self._begun:
            self._is_busy = False
        if self._begun:
            newest = (use.process_s - self._use.process_s) / self._begun
            self._cost_s += SMOOTHING * (newest - self._cost_s)
        self._measured_at, self._use, self._begun = now, use, 0

    @property
    def may_begin(self) -> bool:
        """Whether a request may begin."""
        return not self._is_busy or self._left_s > 0

    def count(self, *, is_exempt: bool = False) -> None:
        """A request begins."""
        self._begun += 1
        if self._is_busy and not is_exempt:
            self._left_s -= self._cost_s

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
            is_exempt = scope["path"].startswith(EXEMPT)
            self._budget.update()
            if not is_exempt and (self._turns or not self._budget.may_begin):
                turn = self._turns.add(_find_address(scope), _find_login(scope))
                if turn is None:
                    refusal = f"{WAITING_MAX} requests of this client wait already, because the machine is busy: try again in a second"
                    await JSONResponse({"detail": refusal}, 503, {"Retry-After": "1"})(scope, receive, send)
                    return
                self._start_timer()
                await turn
            else:
                self._budget.count(is_exempt=is_exempt)
        await self._app(scope, receive, send)

    def _start_timer(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._budget.pause_s, self._call_turns)

    def _call_turns(self) -> None:
        self._timer = None
        self._budget.update()
        while self._budget.may_begin and self._turns.call_next():
            self._budget.count()
        if self._turns:
            self._start_timer()


def _find_address(scope: Scope) -> str:
    client = scope.get("client")
    return client[0] if client else ""


def _find_login(scope: Scope) -> bytes:
    """What the request shows of its account, unchecked."""
    return next((value for name, value in scope["headers"] if name in (b"authorization", b"cookie")), b"")
