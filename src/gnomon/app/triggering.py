"""The triggerer with the clock, wake-ups and ids of real life; in a standalone it begins when something waits for it."""

from __future__ import annotations

import contextlib
import gc
import os
import select
import signal
import socket
import uuid
from pathlib import Path

from gnomon import log
from gnomon.app.metering import meter_for
from gnomon.clock import SystemClock
from gnomon.config import Config, run_folder
from gnomon.wakeups import Bell, Ear, StopFlag, as_soon_as_possible

_FOLDER = "triggerers"
"""Below the run folder: who listens here hears of waits, and not of all else that happens."""
_WANTED = "wanted"
_PID = ".pid"
_COLLECT = (20_000, 20, 20)
"""What waits is no garbage: tens of thousands of records of triggers are not walked all the time."""
_log = log.get("app")


def triggerers_folder(cfg: Config) -> Path:
    """Where triggerers of this home listen."""
    folder = run_folder(cfg.home) / _FOLDER
    folder.mkdir(exist_ok=True)
    return folder


class TriggererBell:
    """Rings when a wait begins or ends; the first time, a triggerer that has nothing to do yet is started."""

    def __init__(self, cfg: Config) -> None:
        self._folder = triggerers_folder(cfg)
        self._bell = Bell(self._folder)

    def ring(self) -> None:
        """Triggerers of this host look at the store."""
        (self._folder / _WANTED).touch()
        self._bell.ring()


def nothing_waits_yet(cfg: Config) -> None:
    """What waited in an earlier life of this home is told again by its scheduler, if it still does."""
    (triggerers_folder(cfg) / _WANTED).unlink(missing_ok=True)


def when_wanted(cfg: Config) -> int:
    """A triggerer, once something has waited for one in this home."""
    folder = triggerers_folder(cfg)
    ear = Ear(folder, f"waiting-{os.getpid()}")
    stop = StopFlag().listen()
    try:
        while not stop() and not (folder / _WANTED).exists():
            select.select([ear.fileno(), stop.fileno()], [], [])
            ear.drain()
        if stop():
            return 0
    finally:
        ear.close()
        stop.close()
    return run_triggerer(cfg)


def run_triggerer(cfg: Config, capacity: int | None = None, queues: tuple[str, ...] | None = None) -> int:
    """Triggers run until SIGTERM or Ctrl-C."""
    from gnomon.store import home_cipher, open_database
    from gnomon.triggerer.service import TriggererService
    from gnomon.triggerer.settings import settings_from

    gc.set_threshold(*_COLLECT)
    folder = triggerers_folder(cfg)
    ear = Ear(folder, f"triggerer-{os.getpid()}")
    stop = StopFlag(Bell(folder).ring).listen()
    db = as_soon_as_possible(
        lambda: open_database(
            cfg.database_url, role="triggerer", synchronous=cfg.text("database", "synchronous").upper(), cipher=home_cipher(cfg)
        ),
        stop, lambda error: _log.warning("database_away", error=str(error), next="the triggerer waits for it"),
    )
    if db is None:
        return 0
    meter = meter_for(cfg)
    service = TriggererService(
        settings=settings_from(cfg, capacity, queues), db=db, clock=SystemClock(), ear=ear, stop=stop,
        new_id=lambda: str(uuid.uuid4()), host=socket.gethostname(), wake_owners=Bell(run_folder(cfg.home)).ring,
        meter=meter,
    )
    service.listen()
    present = folder / f"{os.getpid()}{_PID}"
    try:
        present.touch()
        _log.info("triggerer_started")
        service.run()
    finally:
        present.unlink(missing_ok=True)
        meter.close()
        db.close()
        ear.close()
    _log.info("triggerer_stopped")
    return 0


def reload_triggerers(cfg: Config) -> int:
    """The triggerers of this home and host begin anew with their hosts, and lose no trigger; returns how many."""
    told = 0
    for path in triggerers_folder(cfg).glob(f"*{_PID}"):
        if not _is_triggerer(int(path.stem)):
            path.unlink(missing_ok=True)
            continue
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(path.stem), signal.SIGUSR1)
            told += 1
    return told


def _is_triggerer(pid: int) -> bool:
    """Whether that process listens here: a number alone may be somebody else's by now."""
    try:
        words = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/comm").read_bytes()
    except OSError:
        return False
    return b"gnomon" in words
