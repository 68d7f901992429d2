"""The scheduler with the clock, executor, wake-ups and ids of real life."""

from __future__ import annotations

import gc
import os
import socket
import uuid
from pathlib import Path

from gnomon import log
from gnomon.app.triggerer_wiring import TriggererNotifier
from gnomon.clock import SystemClock
from gnomon.config import Config, run_folder
from gnomon.errors import ResourceUnavailable
from gnomon.executors.local import LocalExecutor
from gnomon.processes import lifeline
from gnomon.scheduler.service import SchedulerService
from gnomon.scheduler.settings import build_scheduler_settings
from gnomon.store import Database, load_cipher, open_database
from gnomon.taskapi import answer_task
from gnomon.timetable_host import SubprocessTimetableHost
from gnomon.timetable_host import build_timetable_host_settings as userhost_settings
from gnomon.wakeups import Listener, Notifier, StopFlag, retry_until_available

_log = log.get_logger("app")

_GC_THRESHOLDS = (700, 10, 1)
"""Runs and their tasks point at each other: the full collection that frees ended ones comes ten times as often as usual.

It is cheap, because what was imported before the fork is frozen and not looked at.
"""


def run_scheduler(cfg: Config) -> int:
    """One incarnation of the scheduler, until SIGTERM or Ctrl-C; raises Fenced when another one took over."""
    gc.set_threshold(*_GC_THRESHOLDS)
    folder = run_folder(cfg.home)
    ear = Listener(folder, f"scheduler-{os.getpid()}")
    stop = StopFlag(Notifier(folder).notify).install_handlers()
    scheduler_id = str(uuid.uuid4())
    executor = LocalExecutor(scheduler_id)
    life = lifeline.hold_lifeline(_lifeline_address(folder, scheduler_id))
    db = retry_until_available(lambda: _open_database(cfg), stop, _log_unavailable)
    timetables: SubprocessTimetableHost | None = None
    try:
        if db is None:
            return 0
        timetables = _create_timetable_host(cfg, db)
        SchedulerService(
            settings=build_scheduler_settings(cfg), db=db, executor=executor, clock=SystemClock(), listener=ear,
            new_id=lambda: str(uuid.uuid4()), scheduler_id=scheduler_id, host=socket.gethostname(),
            is_dead=lambda other: _is_scheduler_dead(folder, other), timetables=timetables,
            wake_triggerers=TriggererNotifier(cfg).notify,
        ).run(stop)
    finally:
        if timetables is not None:
            timetables.close()
        executor.close()
        if db is not None:
            db.close()
        ear.close()
        os.close(life)
        lifeline.remove_lifeline(_lifeline_address(folder, scheduler_id))
    return 0


def _create_timetable_host(cfg: Config, db: Database) -> SubprocessTimetableHost:
    """Where author timetables are asked; what they ask themselves is answered as it is to DAG files that are parsed."""
    return SubprocessTimetableHost(userhost_settings(cfg), SystemClock(), lambda question: answer_task(db, None, question))


def _lifeline_address(folder: Path, scheduler_id: str) -> str:
    """What the lifeline of a scheduler of this home is named after."""
    return str(folder / f"scheduler-{scheduler_id}")


def _is_scheduler_dead(folder: Path, scheduler_id: str) -> bool:
    """It was a scheduler of this home and has ended without retiring; the trace it left is gone now."""
    place = _lifeline_address(folder, scheduler_id)
    dead = lifeline.is_lifeline_free(place)
    if dead:
        lifeline.remove_lifeline(place)
    return dead


def _open_database(cfg: Config) -> Database:
    return open_database(
        cfg.database_url, role="scheduler", synchronous=cfg.text("database", "synchronous").upper(), cipher=load_cipher(cfg)
    )


def _log_unavailable(error: ResourceUnavailable) -> None:
    _log.warning("database_away", error=str(error), next="the scheduler waits for it")
