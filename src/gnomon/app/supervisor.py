"""Keeps services alive: starts again whichever dies, and ends all of them in time."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FrameType

from gnomon import log
from gnomon.app.children import Service, kill_orphans, signal_all, start
from gnomon.app.words import how_it_ended
from gnomon.clock import Clock
from gnomon.errors.product import WorldAway
from gnomon.processes.ending import reap
from gnomon.wakeups import StopFlag

GRACE_S = 7.0
"""With what follows it, everything is gone within 10 s."""
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 30.0
HEALTHY_AFTER_S = 10.0
"""A service that lived so long starts again at once; one that dies sooner waits twice as long each time."""
DRAIN_MARGIN_S = 8.0
"""A service that drains ends its work itself when its time is over, and has so long for that: a task may ignore SIGTERM."""
ONE_REQUEST_S = 1.0
"""Signals so close together are one wish: a shell or `timeout` sends them to a process and to its group."""
SLEEP_MAX_S = 30.0
"""The death of a service wakes the supervisor; a lost signal delays it by no more than this."""
_log = log.get("app.supervisor")


@dataclass(slots=True)
class _Kept:
    service: Service
    pid: int | None = None
    started: float = 0.0
    start_at: float = 0.0
    pause_s: float = FIRST_PAUSE_S
    told: bool = False
    """It was told to end: its end is no news, and it is not started again."""


class Supervisor:
    """One process, one thread, one loop: woken by signals."""

    def __init__(
        self, services: Sequence[Service], clock: Clock, *, in_child: Callable[[Service], None], grace_s: float = GRACE_S
    ) -> None:
        """`in_child` prepares each forked child; `grace_s` is what a service gets between SIGTERM and SIGKILL."""
        self._kept = [_Kept(service) for service in services]
        self._clock = clock
        self._in_child = in_child
        self._grace_s = grace_s
        self._waking, self._woken = os.pipe()
        for descriptor in (self._waking, self._woken):
            os.set_blocking(descriptor, False)
        self.stop = StopFlag()

    def listen(self) -> None:
        """Signals end the supervisor's sleep from now on, stop signals set `stop`."""
        signal.signal(signal.SIGCHLD, _wake_only)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)
        self.stop.listen()

    def run(self, on_started: Callable[[], None] = lambda: None) -> int:
        """Services run until this process is told to stop; afterwards none of them, nor anything they started, is left."""
        self._start_due()
        on_started()
        while not self.stop():
            self._sleep(SLEEP_MAX_S)
            self._collect_dead()
            if not self.stop():
                self._start_due()
        self._drain()
        return self._end_all()

    def _start_due(self) -> None:
        now = self._clock.monotonic()
        for kept in self._kept:
            if kept.pid is None and kept.start_at <= now and not kept.told:
                self._start(kept, now)

    def _start(self, kept: _Kept, now: float) -> None:
        """The service runs, or is started after a pause because the machine refused its process."""
        try:
            kept.pid = start(kept.service, partial(self._prepare, kept.service))
            kept.started = self._clock.monotonic()
        except WorldAway as error:
            kept.pause_s = min(kept.pause_s * 2, LONGEST_PAUSE_S)
            kept.start_at = now + kept.pause_s
            _log.error("service_refused", process=kept.service.name, error=str(error), starts_again_in_s=round(kept.pause_s, 1))

    def _prepare(self, service: Service) -> None:
        os.close(self._waking)
        os.close(self._woken)
        self.stop.close()
        self._in_child(service)

    def _collect_dead(self) -> None:
        codes = dict(reap())
        for kept in self._kept:
            if kept.pid is not None and kept.pid in codes:
                self._bury(kept, codes[kept.pid])

    def _bury(self, kept: _Kept, code: int) -> None:
        now = self._clock.monotonic()
        lived = now - kept.started
        kept.pid = None
        kept.pause_s = FIRST_PAUSE_S if lived >= HEALTHY_AFTER_S else min(kept.pause_s * 2, LONGEST_PAUSE_S)
        kept.start_at = now + kept.pause_s
        orphans = kill_orphans(self._living())
        if not kept.told:
            _log.error(
                "service_died", process=kept.service.name, how=how_it_ended(code), after_s=round(lived, 1),
                starts_again_in_s=round(kept.pause_s, 1), orphans_killed=orphans,
            )

    def _living(self) -> frozenset[int]:
        return frozenset(kept.pid for kept in self._kept if kept.pid is not None)

    def _drain(self) -> None:
        """Services that drain have ended while all others ran on, or their time is over, or the user asks a second time."""
        draining = [kept for kept in self._kept if kept.service.drain_s and kept.pid is not None]
        self._tell_end(draining, signal.SIGTERM)
        began = self._clock.monotonic()
        asked = self.stop.times
        while living := [kept for kept in draining if kept.pid is not None]:
            since = self._clock.monotonic() - began
            left = max(kept.service.drain_s for kept in living) + DRAIN_MARGIN_S - since
            if since < ONE_REQUEST_S:
                asked = self.stop.times
            if left <= 0 or self.stop.times > asked:
                return
            self._sleep(min(left, 0.5))
            self._collect_dead()
            self._start_due()

    def _tell_end(self, several: Sequence[_Kept], number: int) -> None:
        for kept in several:
            kept.told = True
        signal_all([kept.pid for kept in several if kept.pid is not None], number)

    def _end_all(self) -> int:
        """SIGTERM, then SIGKILL when the grace is over or the user asks once more; then no descendant is left."""
        began = self._clock.monotonic()
        asked = self.stop.times
        self._tell_end([kept for kept in self._kept if kept.told], signal.SIGQUIT)
        self._tell_end([kept for kept in self._kept if not kept.told], signal.SIGTERM)
        while self._living():
            since = self._clock.monotonic() - began
            left = self._grace_s - since
            if since < ONE_REQUEST_S:
                asked = self.stop.times
            if left <= 0 or self.stop.times > asked:
                _log.warning("services_killed", services=[k.service.name for k in self._kept if k.pid is not None])
                signal_all(sorted(self._living()), signal.SIGKILL)
            self._sleep(min(max(left, 0.05), 0.5))
            self._collect_dead()
        kill_orphans(frozenset())
        return 0

    def _sleep(self, seconds: float) -> None:
        due = min((k.start_at for k in self._kept if k.pid is None and not k.told), default=None)
        if due is not None:
            seconds = min(seconds, max(due - self._clock.monotonic(), 0.0))
        select.select([self._waking], [], [], seconds)
        try:
            os.read(self._waking, 4096)
        except BlockingIOError:
            pass


def _wake_only(number: int, frame: FrameType | None) -> None:
    """The wake-up descriptor has been written to; there is nothing else to do."""
