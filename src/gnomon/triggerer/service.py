"""The loop around the keeper: wake-ups, reloads, the end, and the next incarnation of one that was fenced."""

from __future__ import annotations

import select
import signal
from collections.abc import Callable
from types import FrameType

from gnomon import log
from gnomon.clock import Clock
from gnomon.errors import OperatorMistake, WorldAway
from gnomon.metrics import Meter
from gnomon.model.instants import SECOND
from gnomon.store import Database, Fenced
from gnomon.triggerer.crew import LINGER_S, Crew
from gnomon.triggerer.keeper import Keeper
from gnomon.triggerer.settings import STOP_S, Settings
from gnomon.wakeups import Ear, StopFlag

_POLL_S = 0.1
_log = log.get("triggerer")


class TriggererService:
    """Keepers, one after another, until told to stop."""

    def __init__(
        self, *, settings: Settings, db: Database, clock: Clock, ear: Ear, stop: StopFlag, new_id: Callable[[], str], host: str,
        wake_owners: Callable[[], object], meter: Meter,
    ) -> None:
        self._settings = settings
        self._db = db
        self._clock = clock
        self._ear = ear
        self._stop = stop
        self._new_id = new_id
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
            crew = Crew(
                self._settings.environ, self._clock, silent_s=self._settings.silent_s, ping_s=self._settings.ping_s,
                linger_s=LINGER_S + self._settings.limits.on_kill_s,
            )
            keeper = Keeper(
                settings=self._settings, db=self._db, clock=self._clock, crew=crew, triggerer_id=self._new_id(),
                host=self._host, wake_owners=self._wake_owners, meter=self._meter,
            )
            try:
                self._keep(keeper, crew)
            except Fenced as error:
                _log.warning("triggerer_was_fenced", error=str(error))
            finally:
                crew.kill()

    def _keep(self, keeper: Keeper, crew: Crew) -> None:
        while not self._stop():
            if self._reload:
                self._reload = False
                _log.info("hosts_reloaded", triggers=len(crew))
                crew.reload()
            wake_at = keeper.tick()
            if self._sleep(crew, (wake_at - self._clock.now()) / SECOND):
                keeper.wake()
        self._end(keeper, crew)

    def _end(self, keeper: Keeper, crew: Crew) -> None:
        """The triggers are others' at once; what this one ran is cleaned up."""
        try:
            keeper.retire()
        except (WorldAway, OperatorMistake) as error:
            _log.warning("retire_failed", error=str(error))
        crew.stop(STOP_S)
        until = self._clock.monotonic() + STOP_S
        while not crew.is_over() and self._clock.monotonic() < until:
            select.select(crew.filenos(), [], [], _POLL_S)
            crew.turn()

    def _sleep(self, crew: Crew, seconds: float) -> bool:
        """Whether somebody rang."""
        sources = [self._ear.fileno(), self._stop.fileno(), *crew.filenos()]
        try:
            notify = self._db.fileno_notify()
        except WorldAway:
            notify = None  # the next round finds it away too, and says so
        if notify is not None:
            sources.append(notify)
        if seconds > 0 and not self._stop():
            select.select(sources, crew.unsent(), [], seconds)
        rung = self._ear.drain()
        try:
            return self._db.poll_notify() > 0 or rung
        except WorldAway:
            return rung

    def _on_reload(self, number: int, frame: FrameType | None) -> None:
        self._reload = True
