"""The scheduler with the clock, executor, wake-ups and ids of real life."""

from __future__ import annotations

import os
import socket
import uuid

from gnomon import log
from gnomon.clock import SystemClock
from gnomon.config import Config, run_folder
from gnomon.errors import WorldAway
from gnomon.executors.local import LocalExecutor
from gnomon.scheduler.service import SchedulerService
from gnomon.scheduler.settings import settings_from
from gnomon.store import Database, open_database
from gnomon.wakeups import Bell, Ear, StopFlag, as_soon_as_possible

_log = log.get("app")


def run_scheduler(cfg: Config) -> int:
    """One incarnation of the scheduler, until SIGTERM or Ctrl-C; raises Fenced when another one took over."""
    folder = run_folder(cfg.home)
    ear = Ear(folder, f"scheduler-{os.getpid()}")
    stop = StopFlag(Bell(folder).ring).listen()
    scheduler_id = str(uuid.uuid4())
    executor = LocalExecutor(scheduler_id)
    db = as_soon_as_possible(lambda: _open(cfg), stop, _tell)
    if db is None:
        ear.close()
        return 0
    try:
        SchedulerService(
            settings=settings_from(cfg), db=db, executor=executor, clock=SystemClock(), ear=ear,
            new_id=lambda: str(uuid.uuid4()), scheduler_id=scheduler_id, host=socket.gethostname(),
        ).run(stop)
    finally:
        executor.close()
        db.close()
        ear.close()
    return 0


def _open(cfg: Config) -> Database:
    return open_database(cfg.database_url, role="scheduler", synchronous=cfg.text("database", "synchronous").upper())


def _tell(error: WorldAway) -> None:
    _log.warning("database_away", error=str(error), next="the scheduler waits for it")
