"""Runs the scheduler with the real clock, executor, wake-ups and ids."""

from __future__ import annotations

import gc
import os
import uuid
from pathlib import Path

from gnomon.author_code.processes import lifeline
from gnomon.author_code.timetable_host import SubprocessTimetableHost
from gnomon.author_code.timetable_host import build_timetable_host_settings as userhost_settings
from gnomon.entry.app.executor_wiring import create_executor
from gnomon.entry.app.on_demand import MONITOR, TRIGGERER, OnDemandStart
from gnomon.entry.app.remote_attempt_store import QueuedAttempts
from gnomon.entry.app.scheduler_health import SchedulerHealthServer, open_health_server
from gnomon.ground import log
from gnomon.ground.clock import SystemClock
from gnomon.ground.config import Config, run_folder
from gnomon.ground.config.host_name import read_host_name
from gnomon.ground.metrics import ProcessFigures
from gnomon.ground.wakeups import Listener, Notifier, StopFlag, change_notifier, retry_until_available
from gnomon.model.errors import ResourceUnavailable
from gnomon.model.sentences import render
from gnomon.queries.report.listings.setup_problems import find_setup_problems
from gnomon.queries.taskapi import answer_task
from gnomon.services.executors.interface import Executor
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import build_scheduler_settings
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.storage.store.alert_records import stored_baselines
from gnomon.storage.store.coordination.service_figures import FiguresWriter

_log = log.get_logger("app")

_GC_THRESHOLDS = (700, 10, 1)
"""Runs and their tasks form reference cycles, so the full collection, which frees ended runs, is ten times as frequent as usual.

It is cheap, because modules imported before the fork are frozen and not examined.
"""


def run_scheduler(cfg: Config) -> int:
    """Run one incarnation of the scheduler until SIGTERM or Ctrl-C. Raises FencedError when another scheduler took over."""
    gc.set_threshold(*_GC_THRESHOLDS)
    folder = run_folder(cfg.home)
    listener = Listener(folder, f"scheduler-{os.getpid()}")
    stop = StopFlag(Notifier(folder).notify).install_handlers()
    scheduler_id = str(uuid.uuid4())
    host = read_host_name(cfg.text("core", "hostname_callable"))
    executor: Executor | None = None
    lifeline_descriptor = lifeline.hold_lifeline(_lifeline_address(folder, scheduler_id))
    db = retry_until_available(lambda: _open_database(cfg), stop, _log_unavailable)
    timetables: SubprocessTimetableHost | None = None
    health: SchedulerHealthServer | None = None
    try:
        if db is None:
            return 0
        _warn_of_problems(cfg, db)
        _wake_monitor_for_stored_baselines(cfg, db)
        queued = QueuedAttempts()
        executor = create_executor(cfg, scheduler_id, host, db, SystemClock(), queued)
        timetables = create_timetable_host(cfg, db)
        clock = SystemClock()
        service = SchedulerService(
            settings=build_scheduler_settings(cfg),
            db=db,
            executor=executor,
            clock=clock,
            listener=listener,
            new_id=lambda: str(uuid.uuid4()),
            scheduler_id=scheduler_id,
            host=host,
            is_dead=lambda other: _is_scheduler_dead(folder, other),
            timetables=timetables,
            wake_triggerers=OnDemandStart(cfg, TRIGGERER).notify,
            wake_monitor=OnDemandStart(cfg, MONITOR).notify,
            figures=FiguresWriter(ProcessFigures(), "scheduler", scheduler_id, host, clock),
            store_submits=queued.offer_within,
        )
        health = open_health_server(cfg, service.lease, SystemClock())
        service.run(stop)
    finally:
        if health is not None:
            health.close()
        if timetables is not None:
            timetables.close()
        if executor is not None:
            executor.close()
        if db is not None:
            db.close()
        listener.close()
        os.close(lifeline_descriptor)
        lifeline.remove_lifeline(_lifeline_address(folder, scheduler_id))
    return 0


def _wake_monitor_for_stored_baselines(cfg: Config, db: Database) -> None:
    """At the start only: whoever makes one later sets the mark himself."""
    try:
        with db.read() as tx:
            is_needed = bool(stored_baselines.list_specs(tx))
    except ResourceUnavailable as error:
        _log_unavailable(error)
        return
    if is_needed:
        OnDemandStart(cfg, MONITOR).notify()


def _warn_of_problems(cfg: Config, db: Database) -> None:
    """Log what is doubtful in the set-up of the hosts now; the health page and `gnomon doctor` say it later."""
    try:
        with db.read() as tx:
            problems = find_setup_problems(tx, cfg.number("triggerer", "job_heartbeat_sec"))
    except ResourceUnavailable as error:
        _log_unavailable(error)
        return
    for problem in problems:
        _log.warning("doubtful_set_up", problem=render(problem.found), remedy=render(problem.remedy))


def create_timetable_host(cfg: Config, db: Database) -> SubprocessTimetableHost:
    """The host of custom timetables; Task API requests of timetables are answered as those of DAG files that are parsed."""
    return SubprocessTimetableHost(
        userhost_settings(cfg), SystemClock(), lambda request: answer_task(db, None, request)
    )


def _lifeline_address(folder: Path, scheduler_id: str) -> str:
    """The address of the lifeline of a scheduler of this home."""
    return str(folder / f"scheduler-{scheduler_id}")


def _is_scheduler_dead(folder: Path, scheduler_id: str) -> bool:
    """Whether that scheduler of this home has ended without retiring; then its lifeline is removed."""
    address = _lifeline_address(folder, scheduler_id)
    is_free = lifeline.is_lifeline_free(address)
    if is_free:
        lifeline.remove_lifeline(address)
    return is_free


def _open_database(cfg: Config) -> Database:
    return open_database(
        cfg.database_url,
        role="scheduler",
        synchronous=cfg.text("database", "synchronous").upper(),
        cipher=load_cipher(cfg),
        announce_changes=change_notifier(run_folder(cfg.home)).notify,
    )


def _log_unavailable(error: ResourceUnavailable) -> None:
    _log.warning("database_unavailable", error=str(error), next="the scheduler waits for the database")
