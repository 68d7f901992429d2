"""The loop around the keeper: wake-ups, reloads, the end, and the next incarnation of one that was fenced."""

from __future__ import annotations

import select
import signal
from collections.abc import Callable
from types import FrameType

from gnomon import log
from gnomon.clock import Clock
from gnomon.errors import ConfigurationError, ResourceUnavailable
from gnomon.metrics import Meter
from gnomon.model.instants import SECOND
from gnomon.store import Database, FencedError
from gnomon.triggerer.coordinator import TriggererCoordinator
from gnomon.triggerer.host_pool import UNRESPONSIVE_S, HostPool
from gnomon.triggerer.settings import STOP_S, TriggererSettings
from gnomon.wakeups import Listener, StopFlag

_POLL_S = 0.1
_log = log.get_logger("triggerer")


class TriggererService:
    """Keepers, one after another, until told to stop."""

    def __init__(
        self, *, settings: TriggererSettings, db: Database, clock: Clock, ear: Listener, stop: StopFlag, new_id: Callable[[], str], host: str,
        wake_owners: Callable[[], object], meter: Meter,
    ) -> None:
        self._settings = settings
        self._db = db
        self._clock = clock
        self._listener = ear
        self._stop = stop
        self._create_id = new_id
        self._host = host
        self._wake_owners = wake_owners
        self._meter = meter
        self._reload = False

    def listen(self) -> None:
        """SIGUSR1 starts the hosts anew from now on."""
        signal.signal(signal.SIGUSR1, self._on_reload)

    def run(self) -> None:
        """Until told to stop. A keeper that was fenced ends with its hosts, and the next one begins."""
        while not self._stop():
            crew = HostPool(
                self._settings.environ, self._clock, silent_s=self._settings.silent_s, ping_s=self._settings.ping_s,
                linger_s=UNRESPONSIVE_S + self._settings.limits.on_kill_s,
            )
            keeper = TriggererCoordinator(
                settings=self._settings, db=self._db, clock=self._clock, crew=crew, triggerer_id=self._create_id(),
                host=self._host, wake_owners=self._wake_owners, meter=self._meter,
            )
            try:
                self._run_incarnation(keeper, crew)
            except FencedError as error:
                _log.warning("triggerer_was_fenced", error=str(error))
            finally:
                crew.kill()

    def _run_incarnation(self, keeper: TriggererCoordinator, crew: HostPool) -> None:
        while not self._stop():
            if self._reload:
                self._reload = False
                _log.info("hosts_reloaded", triggers=len(crew))
                crew.reload()
            wake_at = keeper.tick()
            if self._wait(crew, (wake_at - self._clock.now()) / SECOND):
                keeper.wake()
        self._shut_down(keeper, crew)

    def _shut_down(self, keeper: TriggererCoordinator, crew: HostPool) -> None:
        """The triggers are others' at once; what this one ran is cleaned up."""
        try:
            keeper.retire()
        except (ResourceUnavailable, ConfigurationError) as error:
            _log.warning("retire_failed", error=str(error))
        crew.stop(STOP_S)
        until = self._clock.monotonic() + STOP_S
        while not crew.has_ended() and self._clock.monotonic() < until:
            select.select(crew.read_filenos(), [], [], _POLL_S)
            crew.run_once()

    def _wait(self, crew: HostPool, seconds: float) -> bool:
        """Whether somebody rang."""
        sources = [self._listener.fileno(), self._stop.fileno(), *crew.read_filenos()]
        try:
            notify = self._db.notification_fileno()
        except ResourceUnavailable:
            notify = None  # the next round finds it away too, and says so
        if notify is not None:
            sources.append(notify)
        if seconds > 0 and not self._stop():
            select.select(sources, crew.write_filenos(), [], seconds)
        rung = self._listener.drain()
        try:
            return self._db.poll_notifications() > 0 or rung
        except ResourceUnavailable:
            return rung

    def _on_reload(self, number: int, frame: FrameType | None) -> None:
        self._reload = True
