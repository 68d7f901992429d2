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
from gnomon.clock import SystemClock
from gnomon.config import Config, run_folder
from gnomon.metrics.meter import create_meter
from gnomon.wakeups import Listener, Notifier, StopFlag, retry_until_available

_FOLDER = "triggerers"
"""Below the run folder: who listens here hears of waits, and not of all else that happens."""
_NEEDED_FILE = "wanted"
_PID_SUFFIX = ".pid"
_GC_THRESHOLDS = (20_000, 20, 20)
"""What waits is no garbage: tens of thousands of records of triggers are not walked all the time."""
_log = log.get_logger("app")


def triggerers_folder(cfg: Config) -> Path:
    """Where triggerers of this home listen."""
    folder = run_folder(cfg.home) / _FOLDER
    folder.mkdir(exist_ok=True)
    return folder


class TriggererNotifier:
    """Rings when a wait begins or ends; the first time, a triggerer that has nothing to do yet is started."""

    def __init__(self, cfg: Config) -> None:
        self._folder = triggerers_folder(cfg)
        self._notifier = Notifier(self._folder)

    def notify(self) -> None:
        """Triggerers of this host look at the store."""
        (self._folder / _NEEDED_FILE).touch()
        self._notifier.notify()


def clear_needed_mark(cfg: Config) -> None:
    """What waited in an earlier life of this home is told again by its scheduler, if it still does."""
    (triggerers_folder(cfg) / _NEEDED_FILE).unlink(missing_ok=True)


def run_triggerer_when_needed(cfg: Config) -> int:
    """A triggerer, once something has waited for one in this home."""
    folder = triggerers_folder(cfg)
    ear = Listener(folder, f"waiting-{os.getpid()}")
    stop = StopFlag().install_handlers()
    try:
        while not stop() and not (folder / _NEEDED_FILE).exists():
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
    from gnomon.store import load_cipher, open_database
    from gnomon.triggerer.service import TriggererService
    from gnomon.triggerer.settings import build_triggerer_settings

    gc.set_threshold(*_GC_THRESHOLDS)
    folder = triggerers_folder(cfg)
    ear = Listener(folder, f"triggerer-{os.getpid()}")
    stop = StopFlag(Notifier(folder).notify).install_handlers()
    db = retry_until_available(
        lambda: open_database(
            cfg.database_url, role="triggerer", synchronous=cfg.text("database", "synchronous").upper(), cipher=load_cipher(cfg)
        ),
        stop, lambda error: _log.warning("database_away", error=str(error), next="the triggerer waits for it"),
    )
    if db is None:
        return 0
    meter = create_meter(cfg)
    service = TriggererService(
        settings=build_triggerer_settings(cfg, capacity, queues), db=db, clock=SystemClock(), ear=ear, stop=stop,
        new_id=lambda: str(uuid.uuid4()), host=socket.gethostname(), wake_owners=Notifier(run_folder(cfg.home)).notify,
        meter=meter,
    )
    service.listen()
    present = folder / f"{os.getpid()}{_PID_SUFFIX}"
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
    for path in triggerers_folder(cfg).glob(f"*{_PID_SUFFIX}"):
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
