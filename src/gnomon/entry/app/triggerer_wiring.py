"""Runs the triggerer with the real clock, wake-ups and ids; in a standalone it starts when the first task is deferred.

The supervisor imports this module: the store and the triggerer are imported by the triggerer alone.
"""

from __future__ import annotations

import contextlib
import gc
import os
import signal
import uuid
from pathlib import Path

from gnomon.entry.app.on_demand import TRIGGERER, OnDemandStart
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, run_folder
from gnomon.ground.config.host_name import read_host_name
from gnomon.ground.metrics.meter import create_meter
from gnomon.ground.wakeups import Listener, Notifier, StopFlag, change_notifier, retry_until_available

_PID_SUFFIX = ".pid"
_GC_THRESHOLDS = (20_000, 20, 20)
"""Tens of thousands of records of waiting triggers are not garbage: collect rarely."""
_log = log.get_logger("app")


def run_triggerer(cfg: Config, capacity: int | None = None, queues: tuple[str, ...] | None = None) -> int:
    """Run a triggerer until SIGTERM or Ctrl-C; returns the exit code."""
    from gnomon.services.triggerer.service import TriggererService
    from gnomon.services.triggerer.settings import build_triggerer_settings
    from gnomon.storage.store import load_cipher, open_database

    gc.set_threshold(*_GC_THRESHOLDS)
    folder = OnDemandStart(cfg, TRIGGERER).folder
    listener = Listener(folder, f"triggerer-{os.getpid()}")
    stop = StopFlag(Notifier(folder).notify).install_handlers()
    db = retry_until_available(
        lambda: open_database(
            cfg.database_url,
            role="triggerer",
            synchronous=cfg.text("database", "synchronous").upper(),
            cipher=load_cipher(cfg),
            announce_changes=change_notifier(run_folder(cfg.home)).notify,
        ),
        stop,
        lambda error: _log.warning(
            "database_unavailable", error=str(error), next="the triggerer waits for the database"
        ),
    )
    if db is None:
        return 0
    meter = create_meter(cfg)
    service = TriggererService(
        settings=build_triggerer_settings(cfg, capacity, queues),
        db=db,
        clock=SystemClock(),
        listener=listener,
        stop=stop,
        new_id=lambda: str(uuid.uuid4()),
        host=read_host_name(cfg.text("core", "hostname_callable")),
        wake_owners=Notifier(run_folder(cfg.home)).notify,
        meter=meter,
    )
    service.listen()
    pid_file = folder / f"{os.getpid()}{_PID_SUFFIX}"
    try:
        pid_file.touch()
        _log.info("triggerer_started")
        service.run()
    finally:
        pid_file.unlink(missing_ok=True)
        meter.close()
        db.close()
        listener.close()
    _log.info("triggerer_stopped")
    return 0


def reload_triggerers(cfg: Config) -> int:
    """Have the triggerers of this home and host restart their hosts, without losing a trigger; returns how many there are."""
    count = 0
    for path in OnDemandStart(cfg, TRIGGERER).folder.glob(f"*{_PID_SUFFIX}"):
        if not _is_triggerer(int(path.stem)):
            path.unlink(missing_ok=True)
            continue
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(path.stem), signal.SIGUSR1)
            count += 1
    return count


def _is_triggerer(pid: int) -> bool:
    """Whether that process is a triggerer: the process id may belong to another process by now."""
    try:
        names = Path(f"/proc/{pid}/cmdline").read_bytes() + Path(f"/proc/{pid}/comm").read_bytes()
    except OSError:
        return False
    return b"gnomon" in names
