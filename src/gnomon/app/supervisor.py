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
from gnomon.app.service_process import Service, fork_service
from gnomon.clock import Clock
from gnomon.errors.product import ResourceUnavailable
from gnomon.processes.exit_reasons import describe_exit
from gnomon.processes.termination import kill_and_reap_orphans, reap_children, signal_processes
from gnomon.wakeups import StopFlag

STOP_GRACE_S = 7.0
"""With what follows it, everything is gone within 10 s."""
RESTART_DELAY_MIN_S = 0.1
RESTART_DELAY_MAX_S = 30.0
HEALTHY_AFTER_S = 10.0
"""A service that lived so long starts again at once; one that dies sooner waits twice as long each time."""
DRAIN_MARGIN_S = 8.0
"""A service that drains ends its work itself when its time is over, and has so long for that: a task may ignore SIGTERM."""
SIGNAL_DEBOUNCE_S = 1.0
"""Signals so close together are one wish: a shell or `timeout` sends them to a process and to its group."""
SLEEP_MAX_S = 30.0
"""The death of a service wakes the supervisor; a lost signal delays it by no more than this."""
_log = log.get_logger("app.supervisor")


@dataclass(slots=True)
class _SupervisedService:
    service: Service
    pid: int | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    restart_delay_s: float = RESTART_DELAY_MIN_S
    told: bool = False
    """It was told to end: its end is no news, and it is not started again."""


class Supervisor:
    """One process, one thread, one loop: woken by signals."""

    def __init__(
        self, services: Sequence[Service], clock: Clock, *, in_child: Callable[[Service], None], grace_s: float = STOP_GRACE_S
    ) -> None:
        """`in_child` prepares each forked child; `grace_s` is what a service gets between SIGTERM and SIGKILL."""
        self._services = [_SupervisedService(service) for service in services]
        self._clock = clock
        self._prepare_child = in_child
        self._grace_s = grace_s
        self._wake_read, self._wake_write = os.pipe()
        for descriptor in (self._wake_read, self._wake_write):
            os.set_blocking(descriptor, False)
        self.stop = StopFlag()

    def install_handlers(self) -> None:
        """Signals end the supervisor's sleep from now on, stop signals set `stop`."""
        signal.signal(signal.SIGCHLD, _wake_only)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self.stop.install_handlers()

    def run(self, on_started: Callable[[], None] = lambda: None) -> int:
        """Services run until this process is told to stop; afterwards none of them, nor anything they started, is left."""
        self._start_due()
        on_started()
        while not self.stop():
            self._sleep(SLEEP_MAX_S)
            self._reap_services()
            if not self.stop():
                self._start_due()
        self._drain()
        return self._end_all()

    def _start_due(self) -> None:
        now = self._clock.monotonic()
        for kept in self._services:
            if kept.pid is None and kept.restart_at <= now and not kept.told:
                self._start(kept, now)

    def _start(self, kept: _SupervisedService, now: float) -> None:
        """The service runs, or is started after a pause because the machine refused its process."""
        try:
            kept.pid = fork_service(kept.service, partial(self._prepare, kept.service))
            kept.started_at = self._clock.monotonic()
        except ResourceUnavailable as error:
            kept.restart_delay_s = min(kept.restart_delay_s * 2, RESTART_DELAY_MAX_S)
            kept.restart_at = now + kept.restart_delay_s
            _log.error("service_refused", process=kept.service.name, error=str(error), starts_again_in_s=round(kept.restart_delay_s, 1))

    def _prepare(self, service: Service) -> None:
        os.close(self._wake_read)
        os.close(self._wake_write)
        self.stop.close()
        self._prepare_child(service)

    def _reap_services(self) -> None:
        codes = dict(reap_children())
        for kept in self._services:
            if kept.pid is not None and kept.pid in codes:
                self._on_service_exit(kept, codes[kept.pid])

    def _on_service_exit(self, kept: _SupervisedService, code: int) -> None:
        now = self._clock.monotonic()
        lived = now - kept.started_at
        kept.pid = None
        kept.restart_delay_s = RESTART_DELAY_MIN_S if lived >= HEALTHY_AFTER_S else min(kept.restart_delay_s * 2, RESTART_DELAY_MAX_S)
        kept.restart_at = now + kept.restart_delay_s
        orphans = kill_and_reap_orphans(self._live_pids())
        if not kept.told:
            _log.error(
                "service_died", process=kept.service.name, how=describe_exit(code), after_s=round(lived, 1),
                starts_again_in_s=round(kept.restart_delay_s, 1), orphans_killed=orphans,
            )

    def _live_pids(self) -> frozenset[int]:
        return frozenset(kept.pid for kept in self._services if kept.pid is not None)

    def _drain(self) -> None:
        """Services that drain have ended while all others ran on, or their time is over, or the user asks a second time."""
        draining = [kept for kept in self._services if kept.service.drain_s and kept.pid is not None]
        self._tell_end(draining, signal.SIGTERM)
        began = self._clock.monotonic()
        asked = self.stop.signal_count
        while living := [kept for kept in draining if kept.pid is not None]:
            since = self._clock.monotonic() - began
            left = max(kept.service.drain_s for kept in living) + DRAIN_MARGIN_S - since
            if since < SIGNAL_DEBOUNCE_S:
                asked = self.stop.signal_count
            if left <= 0 or self.stop.signal_count > asked:
                return
            self._sleep(min(left, 0.5))
            self._reap_services()
            self._start_due()

    def _tell_end(self, several: Sequence[_SupervisedService], number: int) -> None:
        for kept in several:
            kept.told = True
        signal_processes([kept.pid for kept in several if kept.pid is not None], number)

    def _end_all(self) -> int:
        """SIGTERM, then SIGKILL when the grace is over or the user asks once more; then no descendant is left."""
        began = self._clock.monotonic()
        asked = self.stop.signal_count
        self._tell_end([kept for kept in self._services if kept.told], signal.SIGQUIT)
        self._tell_end([kept for kept in self._services if not kept.told], signal.SIGTERM)
        while self._live_pids():
            since = self._clock.monotonic() - began
            left = self._grace_s - since
            if since < SIGNAL_DEBOUNCE_S:
                asked = self.stop.signal_count
            if left <= 0 or self.stop.signal_count > asked:
                _log.warning("services_killed", services=[k.service.name for k in self._services if k.pid is not None])
                signal_processes(sorted(self._live_pids()), signal.SIGKILL)
            self._sleep(min(max(left, 0.05), 0.5))
            self._reap_services()
        kill_and_reap_orphans(frozenset())
        return 0

    def _sleep(self, seconds: float) -> None:
        due = min((k.restart_at for k in self._services if k.pid is None and not k.told), default=None)
        if due is not None:
            seconds = min(seconds, max(due - self._clock.monotonic(), 0.0))
        select.select([self._wake_read], [], [], seconds)
        try:
            os.read(self._wake_read, 4096)
        except BlockingIOError:
            pass


def _wake_only(number: int, frame: FrameType | None) -> None:
    """The wake-up descriptor has been written to; there is nothing else to do."""
