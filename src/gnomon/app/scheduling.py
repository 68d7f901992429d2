"""The scheduler with the clock, executor, wake-ups and ids of real life."""

from __future__ import annotations

import gc
import os
import socket
import uuid
from pathlib import Path

from gnomon import log
from gnomon.app.triggering import TriggererBell
from gnomon.clock import SystemClock
from gnomon.config import Config, run_folder
from gnomon.errors import WorldAway
from gnomon.executors.local import LocalExecutor
from gnomon.scheduler.service import SchedulerService
from gnomon.scheduler.settings import settings_from
from gnomon.store import Database, home_cipher, open_database
from gnomon.taskapi import answer
from gnomon.userhost import Hosts
from gnomon.userhost import settings_from as userhost_settings
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
    timetables: Hosts | None = None
    try:
        if db is None:
            return 0
        timetables = _hosts(cfg, db)
        SchedulerService(
            settings=settings_from(cfg), db=db, executor=executor, clock=SystemClock(), ear=ear,
            new_id=lambda: str(uuid.uuid4()), scheduler_id=scheduler_id, host=socket.gethostname(),
            is_dead=lambda other: _is_dead(folder, other), timetables=timetables,
            wake_triggerers=TriggererBell(cfg).ring,
        ).run(stop)
    finally:
        if timetables is not None:
            timetables.close()
        executor.close()
        if db is not None:
            db.close()
        ear.close()
        os.close(life)
        lifeline.remove(_place(folder, scheduler_id))
    return 0


def _hosts(cfg: Config, db: Database) -> Hosts:
    """Where author timetables are asked; what they ask themselves is answered as it is to DAG files that are parsed."""
    return Hosts(userhost_settings(cfg), SystemClock(), lambda question: answer(db, None, question))


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
    return open_database(
        cfg.database_url, role="scheduler", synchronous=cfg.text("database", "synchronous").upper(), cipher=home_cipher(cfg)
    )


def _tell(error: WorldAway) -> None:
    _log.warning("database_away", error=str(error), next="the scheduler waits for it")
