"""Keeps services running: restarts a service that ends, and stops all services within a bounded time."""

from __future__ import annotations

import os
import select
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from types import FrameType

from gnomon.author_code.processes.exit_reasons import describe_exit
from gnomon.author_code.processes.termination import kill_and_reap_orphans, reap_children, signal_processes
from gnomon.entry.app.service_process import Demand, Service, fork_service
from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.wakeups import StopFlag
from gnomon.model.errors.product import ResourceUnavailable

STOP_GRACE_S = 7.0
"""Time between SIGTERM and SIGKILL; everything has ended within 10 s."""
RESTART_DELAY_MIN_S = 0.1
RESTART_DELAY_MAX_S = 30.0
HEALTHY_AFTER_S = 10.0
"""A service that ran for this time restarts at once; the delay doubles each time a service ends sooner."""
DRAIN_MARGIN_S = 8.0
"""Added to the drain time of a service: the service ends its work itself when the time is over, and a task may ignore SIGTERM."""
SIGNAL_DEBOUNCE_S = 1.0
"""Signals within this time count once: a shell or `timeout` sends them to a process and to its group."""
DEMAND_LOOK_S = 5.0
"""Between two looks at whether a service is needed that has no process, if nothing wakes the supervisor."""
SLEEP_MAX_S = 30.0
"""The end of a service wakes the supervisor; a lost signal delays it by at most this time."""
_log = log.get_logger("app.supervisor")


@dataclass(slots=True)
class _SupervisedService:
    service: Service
    pid: int | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    restart_delay_s: float = RESTART_DELAY_MIN_S
    is_stopping: bool = False
    """The service was sent a stop signal: its end is not logged, and it is not restarted."""

    def may_start(self, now: float) -> bool:
        """Whether it has no process and may have one."""
        return self.pid is None and self.restart_at <= now and not self.is_stopping


class Supervisor:
    """Runs services as child processes: one thread and one loop that signals wake."""

    def __init__(
        self,
        services: Sequence[Service],
        clock: Clock,
        *,
        in_child: Callable[[Service], None],
        grace_s: float = STOP_GRACE_S,
    ) -> None:
        """`in_child` prepares each forked child; `grace_s` is the time between SIGTERM and SIGKILL, in seconds."""
        self._services = [_SupervisedService(service) for service in services]
        self._clock = clock
        self._prepare_child = in_child
        self._grace_s = grace_s
        self._wake_read, self._wake_write = os.pipe()
        for descriptor in (self._wake_read, self._wake_write):
            os.set_blocking(descriptor, False)
        self.stop = StopFlag()

    def install_handlers(self) -> None:
        """Install handlers: signals end the supervisor's sleep from now on, stop signals set `stop`."""
        signal.signal(signal.SIGCHLD, _wake_only)
        signal.set_wakeup_fd(self._wake_write, warn_on_full_buffer=False)
        self.stop.install_handlers()

    def run(self, on_started: Callable[[], None] = lambda: None) -> int:
        """Run the services until a stop signal arrives; afterwards no service, and no process that one started, is left."""
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
        for supervised in self._services:
            demand = supervised.service.demand
            if supervised.may_start(now) and (demand is None or demand.is_needed()):
                self._start(supervised, now)

    def _start(self, supervised: _SupervisedService, now: float) -> None:
        """Start the service, or schedule another attempt when the machine refuses its process."""
        try:
            supervised.pid = fork_service(supervised.service, partial(self._prepare, supervised.service))
            supervised.started_at = self._clock.monotonic()
        except ResourceUnavailable as error:
            supervised.restart_delay_s = min(supervised.restart_delay_s * 2, RESTART_DELAY_MAX_S)
            supervised.restart_at = now + supervised.restart_delay_s
            _log.error(
                "service_refused",
                process=supervised.service.name,
                error=str(error),
                starts_again_in_s=round(supervised.restart_delay_s, 1),
            )

    def _prepare(self, service: Service) -> None:
        os.close(self._wake_read)
        os.close(self._wake_write)
        self.stop.close()
        for demand in self._demands():
            demand.leave_in_fork()
        self._prepare_child(service)

    def _demands(self) -> list[Demand]:
        return [k.service.demand for k in self._services if k.service.demand is not None]

    def _reap_services(self) -> None:
        codes = dict(reap_children())
        for supervised in self._services:
            if supervised.pid is not None and supervised.pid in codes:
                self._on_service_exit(supervised, codes[supervised.pid])

    def _on_service_exit(self, supervised: _SupervisedService, code: int) -> None:
        now = self._clock.monotonic()
        lived = now - supervised.started_at
        supervised.pid = None
        supervised.restart_delay_s = (
            RESTART_DELAY_MIN_S
            if lived >= HEALTHY_AFTER_S
            else min(supervised.restart_delay_s * 2, RESTART_DELAY_MAX_S)
        )
        supervised.restart_at = now + supervised.restart_delay_s
        orphans = kill_and_reap_orphans(self._live_pids())
        is_regular = supervised.service.demand is not None and code == 0  # it was not needed any more
        if not supervised.is_stopping and not is_regular:
            _log.error(
                "service_exited",
                process=supervised.service.name,
                how=describe_exit(code),
                after_s=round(lived, 1),
                starts_again_in_s=round(supervised.restart_delay_s, 1),
                orphans_killed=orphans,
            )

    def _live_pids(self) -> frozenset[int]:
        return frozenset(supervised.pid for supervised in self._services if supervised.pid is not None)

    def _drain(self) -> None:
        """Wait for the services that drain, while all others run on, until their time is over or a second signal arrives."""
        draining = [
            supervised for supervised in self._services if supervised.service.drain_s and supervised.pid is not None
        ]
        started_at = self._clock.monotonic()
        signals_seen = self.stop.signal_count  # read before the services hear of it: the next signal may follow at once
        self._signal_services(draining, signal.SIGTERM)
        while living := [supervised for supervised in draining if supervised.pid is not None]:
            since = self._clock.monotonic() - started_at
            remaining_s = max(supervised.service.drain_s for supervised in living) + DRAIN_MARGIN_S - since
            if since < SIGNAL_DEBOUNCE_S:
                signals_seen = self.stop.signal_count
            if remaining_s <= 0 or self.stop.signal_count > signals_seen:
                return
            self._sleep(min(remaining_s, 0.5))
            self._reap_services()
            self._start_due()

    def _signal_services(self, supervised_services: Sequence[_SupervisedService], number: int) -> None:
        for supervised in supervised_services:
            supervised.is_stopping = True
        signal_processes([supervised.pid for supervised in supervised_services if supervised.pid is not None], number)

    def _end_all(self) -> int:
        """Send SIGTERM, then SIGKILL when the grace is over or another signal arrives; afterwards no descendant is left."""
        started_at = self._clock.monotonic()
        signals_seen = self.stop.signal_count
        self._signal_services([supervised for supervised in self._services if supervised.is_stopping], signal.SIGQUIT)
        self._signal_services(
            [supervised for supervised in self._services if not supervised.is_stopping], signal.SIGTERM
        )
        while self._live_pids():
            since = self._clock.monotonic() - started_at
            remaining_s = self._grace_s - since
            if since < SIGNAL_DEBOUNCE_S:
                signals_seen = self.stop.signal_count
            if remaining_s <= 0 or self.stop.signal_count > signals_seen:
                _log.warning("services_killed", services=[k.service.name for k in self._services if k.pid is not None])
                signal_processes(sorted(self._live_pids()), signal.SIGKILL)
            self._sleep(min(max(remaining_s, 0.05), 0.5))
            self._reap_services()
        kill_and_reap_orphans(frozenset())
        for demand in self._demands():
            demand.close()
        return 0

    def _sleep(self, seconds: float) -> None:
        now = self._clock.monotonic()
        ended = [k for k in self._services if k.pid is None and not k.is_stopping]
        awaited = [k.service.demand for k in ended if k.service.demand is not None and k.may_start(now)]
        due = min((k.restart_at for k in ended if k.service.demand is None or not k.may_start(now)), default=None)
        if due is not None:
            seconds = min(seconds, max(due - now, 0.0))
        watched = [self._wake_read, *(demand.fileno() for demand in awaited)]
        select.select(watched, [], [], min(seconds, DEMAND_LOOK_S) if awaited else seconds)
        try:
            os.read(self._wake_read, 4096)
        except BlockingIOError:
            pass


def _wake_only(number: int, frame: FrameType | None) -> None:
    """Do nothing: the wake-up descriptor has been written to already."""
