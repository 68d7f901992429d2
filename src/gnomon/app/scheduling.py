"""The scheduler with the clock, executor, wake-ups and ids of real life."""

from __future__ import annotations

import gc
import os
import socket
import uuid
from pathlib import Path

from gnomon import log
from gnomon.clock import SystemClock
from gnomon.config import Config, run_folder
from gnomon.errors import WorldAway
from gnomon.executors.local import LocalExecutor
from gnomon.scheduler.service import SchedulerService
from gnomon.scheduler.settings import settings_from
from gnomon.store import Database, open_database
from gnomon.wakeups import Bell, Ear, StopFlag, as_soon_as_possible
from gnomon.wire import lifeline

_log = log.get("app")

_COLLECT = (700, 10, 1)
"""Runs and their tasks point at each other: the full collection that frees ended ones comes ten times as often as usual.

It is cheap, because what was imported before the fork is frozen and not looked at.
"""


def run_scheduler(cfg: Config) -> int:
    """One incarnation of the scheduler, until SIGTERM or Ctrl-C; raises Fenced when another one took over."""
    gc.set_threshold(*_COLLECT)
    folder = run_folder(cfg.home)
    ear = Ear(folder, f"scheduler-{os.getpid()}")
    stop = StopFlag(Bell(folder).ring).listen()
    scheduler_id = str(uuid.uuid4())
    executor = LocalExecutor(scheduler_id)
    life = lifeline.hold(_place(folder, scheduler_id))
    db = as_soon_as_possible(lambda: _open(cfg), stop, _tell)
    try:
        if db is None:
            return 0
        SchedulerService(
            settings=settings_from(cfg), db=db, executor=executor, clock=SystemClock(), ear=ear,
            new_id=lambda: str(uuid.uuid4()), scheduler_id=scheduler_id, host=socket.gethostname(),
            is_dead=lambda other: _is_dead(folder, other),
        ).run(stop)
    finally:
        executor.close()
        if db is not None:
            db.close()
        ear.close()
        os.close(life)
        lifeline.remove(_place(folder, scheduler_id))
    return 0


def _place(folder: Path, scheduler_id: str) -> str:
    """What the lifeline of a scheduler of this home is named after."""
    return str(folder / f"scheduler-{scheduler_id}")


def _is_dead(folder: Path, scheduler_id: str) -> bool:
    """It was a scheduler of this home and has ended without retiring; the trace it left is gone now."""
    place = _place(folder, scheduler_id)
    dead = lifeline.is_cut(place)
    if dead:
        lifeline.remove(place)
    return dead


def _open(cfg: Config) -> Database:
    return open_database(cfg.database_url, role="scheduler", synchronous=cfg.text("database", "synchronous").upper())


def _tell(error: WorldAway) -> None:
    _log.warning("database_away", error=str(error), next="the scheduler waits for it")
