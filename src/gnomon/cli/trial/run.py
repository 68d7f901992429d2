"""One trial from a file or id to its end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import msgspec

from gnomon.app.database import Preparation
from gnomon.cli.conf import check_conf
from gnomon.cli.home import Home
from gnomon.cli.planned import planned_by_hand
from gnomon.cli.trial.borrowed import borrow
from gnomon.cli.trial.home import private_home
from gnomon.cli.trial.progress import Progress
from gnomon.cli.trial.service import Trial, companions, drive, look
from gnomon.cli.trial.target import Target, by_id, in_file, is_file
from gnomon.cli.trial.task_logs import TaskLogs
from gnomon.cli.waiting import wait_for
from gnomon.config import Config
from gnomon.dagfiles.facts import facts_of
from gnomon.dagfiles.service import start_pool
from gnomon.dagfiles.settings import settings_from
from gnomon.errors.product import WorldAway
from gnomon.model.instants import Instant
from gnomon.report.tasks import TaskInstanceRow
from gnomon.store import Database, dags, files, home_cipher, leases, open_database, pools, runs
from gnomon.taskapi import answer

BY = "dags test"
WORKER_READY_S = 30.0
_POOL_SLOTS = 128
"""A pool that does not exist is given so many slots in a trial."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What somebody wants to try."""

    file_or_id: str
    dag_id: str | None
    logical_at: Instant
    conf: dict[str, object]


def try_dag(home: Home, asked: Asked, shown: Progress) -> Trial:
    """The run has ended, and nothing of it is left but what is returned. `shown` is told the states and what tasks print."""
    with private_home(home.cfg) as cfg:
        target = _find(home, cfg, asked)
        with companions(cfg) as check, _opened(cfg) as db:
            run_id = _prepare(home, db, target, asked)
            _wait_for_worker(home, db, check)
            dag_id = target.dag.spec.dag_id
            logs = TaskLogs(cfg.logs_folder)

            def show(rows: list[TaskInstanceRow]) -> None:
                shown.write(logs.new_lines())
                shown.show(rows)

            trial = drive(cfg, db, home.clock, lambda: look(db, dag_id, run_id), check, show)
            shown.write(logs.new_lines(is_over=True))
            return trial


def _find(home: Home, cfg: Config, asked: Asked) -> Target:
    """The DAG, from a parse child; every process is forked before the database is opened."""
    settings = settings_from(cfg)
    pool = start_pool(cfg, settings, facts_of(cfg), home.clock)
    try:
        Preparation(cfg).wait()
        with _opened(cfg) as db:
            pool.answers = lambda question: answer(db, None, question)
            known_file = borrow(home.cfg, db, asked.file_or_id)
            if is_file(asked.file_or_id):
                return in_file(pool, asked.file_or_id, asked.dag_id)
            return by_id(pool, settings, asked.file_or_id, known_file)
    finally:
        pool.close()


def _prepare(home: Home, db: Database, target: Target, asked: Asked) -> str:
    """The DAG is in the private database, unpaused, with its pools and a run to do; returns the run id."""
    spec, now = target.dag.spec, home.clock.now()
    check_conf(spec, asked.conf)
    planned = planned_by_hand(home.cfg, spec, target.parsed.path, asked.logical_at, now)
    with db.write() as tx:
        files.record_parsed(
            tx, msgspec.structs.replace(target.parsed, dags=(target.dag,), failures=()), at=now, paused_by_default=False
        )
        dags.set_paused(tx, spec.dag_id, False, by=BY, at=now)
        for name in sorted({task.pool for task in spec.tasks}):
            if pools.find(tx, name) is None:
                pools.set_pool(tx, name, _POOL_SLOTS)
        runs.create_manual(
            tx, dag_id=spec.dag_id, run_id=planned.run_id, logical_at=asked.logical_at, run_after=planned.run_after,
            interval=(planned.interval_start, planned.interval_end), conf=asked.conf, by=BY, at=now,
        )
    return planned.run_id


def _wait_for_worker(home: Home, db: Database, check: Callable[[], None]) -> None:
    def registered() -> bool | None:
        check()
        with db.read() as tx:
            return True if leases.workers(tx) else None

    if not wait_for(registered, home.clock, home.sleep, WORKER_READY_S):
        raise WorldAway(f"the worker of this test did not come up within {WORKER_READY_S:g} s")


@contextmanager
def _opened(cfg: Config) -> Iterator[Database]:
    db = open_database(cfg.database_url, synchronous=cfg.text("database", "synchronous"), cipher=home_cipher(cfg))
    try:
        yield db
    finally:
        db.close()
