"""The main loop of a triggerer process: wake-ups, reloads, the end, and a new incarnation after a fence."""

from __future__ import annotations

import select
import signal
from collections.abc import Callable
from types import FrameType

from gnomon.ground import log
from gnomon.ground.clock import Clock
from gnomon.ground.metrics import Meter
from gnomon.ground.wakeups import Listener, StopFlag
from gnomon.model.errors import ConfigurationError, ResourceUnavailable
from gnomon.model.instants import SECOND
from gnomon.services.triggerer.cancellations import UNRESPONSIVE_S
from gnomon.services.triggerer.coordinator import TriggererCoordinator
from gnomon.services.triggerer.host_pool import HostPool
from gnomon.services.triggerer.settings import STOP_S, TriggererSettings
from gnomon.storage.store import Database, FencedError

_POLL_S = 0.1
_log = log.get_logger("triggerer")


class TriggererService:
    """Runs incarnations of the triggerer, one after another, until `stop` is set."""

    def __init__(
        self,
        *,
        settings: TriggererSettings,
        db: Database,
        clock: Clock,
        listener: Listener,
        stop: StopFlag,
        new_id: Callable[[], str],
        host: str,
        wake_owners: Callable[[], object],
        meter: Meter,
    ) -> None:
        """`new_id` gives the id of each incarnation; `wake_owners` wakes the schedulers of this host."""
        self._settings = settings
        self._db = db
        self._clock = clock
        self._listener = listener
        self._stop = stop
        self._create_id = new_id
        self._host = host
        self._wake_owners = wake_owners
        self._meter = meter
        self._reload = False

    def listen(self) -> None:
        """Install the handler of SIGUSR1, which reloads the hosts."""
        signal.signal(signal.SIGUSR1, self._on_reload)

    def run(self) -> None:
        """Run until `stop` is set. A fenced incarnation ends together with its hosts, and the next incarnation begins."""
        while not self._stop():
            host_pool = HostPool(
                self._settings.environ,
                self._clock,
                silent_s=self._settings.silent_s,
                ping_s=self._settings.ping_s,
                unresponsive_s=UNRESPONSIVE_S + self._settings.limits.on_kill_s,
            )
            coordinator = TriggererCoordinator(
                settings=self._settings,
                db=self._db,
                clock=self._clock,
                host_pool=host_pool,
                triggerer_id=self._create_id(),
                host=self._host,
                wake_owners=self._wake_owners,
                meter=self._meter,
            )
            try:
                self._run_incarnation(coordinator, host_pool)
            except FencedError as error:
                _log.warning("triggerer_was_fenced", error=str(error))
            finally:
                host_pool.kill()

    def _run_incarnation(self, coordinator: TriggererCoordinator, host_pool: HostPool) -> None:
        while not self._stop():
            if self._reload:
                self._reload = False
                _log.info("hosts_reloaded", triggers=len(host_pool))
                host_pool.reload()
            wake_at = coordinator.tick()
            if self._wait(host_pool, (wake_at - self._clock.now()) / SECOND):
                coordinator.wake()
        self._shut_down(coordinator, host_pool)

    def _shut_down(self, coordinator: TriggererCoordinator, host_pool: HostPool) -> None:
        """Give the triggers back at once, then let the hosts clean up."""
        try:
            coordinator.retire()
        except (ResourceUnavailable, ConfigurationError) as error:
            _log.warning("retire_failed", error=str(error))
        host_pool.stop(STOP_S)
        until = self._clock.monotonic() + STOP_S
        while not host_pool.has_ended() and self._clock.monotonic() < until:
            select.select(host_pool.read_filenos(), [], [], _POLL_S)
            host_pool.run_once()
            if host_pool.watcher_events:
                coordinator.save_watcher_events()

    def _wait(self, host_pool: HostPool, seconds: float) -> bool:
        """Sleep until a message, a wake-up or `seconds` are over; True when the store may have changed."""
        sources = [self._listener.fileno(), self._stop.fileno(), *host_pool.read_filenos()]
        try:
            notify = self._db.notification_fileno()
        except ResourceUnavailable:
            notify = None  # the next round fails too, and logs it
        if notify is not None:
            sources.append(notify)
        if seconds > 0 and not self._stop():
            select.select(sources, host_pool.write_filenos(), [], seconds)
        woken = self._listener.drain()
        try:
            return self._db.poll_notifications() > 0 or woken
        except ResourceUnavailable:
            return woken

    def _on_reload(self, number: int, frame: FrameType | None) -> None:
        self._reload = True
