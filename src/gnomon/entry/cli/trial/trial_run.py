"""Runs one trial, from the file or DAG id to the end of the run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import msgspec

from gnomon.changes.actions.author_queries import plan_manual_run
from gnomon.changes.actions.polling import poll_until
from gnomon.changes.actions.run_conf import check_run_conf
from gnomon.entry.app.database import DatabasePreparation
from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.trial.dag_search import ParsedTarget, find_by_id, find_in_file, looks_like_file
from gnomon.entry.cli.trial.lone_task import isolate_task
from gnomon.entry.cli.trial.trial_answers import Answer, TrialAnswers, check_answered_tasks
from gnomon.entry.cli.trial.trial_progress import ProgressDisplay
from gnomon.entry.cli.trial.trial_services import (
    MISSING_POOL_SLOTS,
    TrialStatus,
    load_status,
    run_scheduler,
    start_companions,
)
from gnomon.entry.testing.dag_runs.private_home import copy_settings, private_home
from gnomon.entry.testing.dag_runs.task_logs import TaskLogs
from gnomon.ground.config import Config
from gnomon.model.errors.product import ResourceUnavailable
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.queries.report.listings.run_list import TaskInstanceRow
from gnomon.queries.taskapi import answer_task
from gnomon.rules.planning import find_manual_logical_date
from gnomon.services.dagfiles.inputs import create_environment_stamps
from gnomon.services.dagfiles.service import start_parse_pool
from gnomon.services.dagfiles.settings import build_dag_processor_settings
from gnomon.storage.store import Database, load_cipher, open_database
from gnomon.storage.store.admin import pools
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.parsed_files import dag_files

BY = "dags test"
WORKER_READY_S = 30.0


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """The DAG to run, the logical date and conf of its run, and the answers to its questions."""

    file_or_id: str
    dag_id: str | None
    logical_at: Instant
    conf: dict[str, object]
    answers: dict[str, Answer] = field(default_factory=dict)
    """Task id to the answer of a person."""
    task_id: str | None = None
    """Run only this task, once, as if nothing were upstream of it; None: the whole DAG."""
    map_index: int | None = None
    """Of a mapped task: run only this instance; the others end as success without running."""


def run_trial(home: Home, request: TrialRequest, display: ProgressDisplay) -> TrialStatus:
    """Run the DAG to its end in a temporary home and return the final status; nothing else of the run is kept.

    `display` shows states and log lines meanwhile. Raises UserError when the DAG cannot be loaded or the conf does not fit it,
    ResourceUnavailable when the worker does not start.
    """
    with private_home(home.cfg) as cfg:
        target = _find_dag(home, cfg, request)
        if request.task_id is not None:
            target = isolate_task(target, request.task_id, request.map_index)
        check_answered_tasks(target.dag.spec, request.answers)
        with start_companions(cfg) as check, _open_database(cfg) as db:
            run_id = _create_run(home, db, target, request)
            _wait_for_worker(home, db, check)
            dag_id = target.dag.spec.dag_id
            logs = TaskLogs(cfg.logs_folder)
            answers = TrialAnswers(cfg, db, dag_id, request.answers, BY)

            def show(rows: list[TaskInstanceRow]) -> None:
                display.write(logs.new_lines())
                display.show([row for row in rows if request.map_index in (None, row.map_index)])
                answers.apply(rows, home.clock.now())

            trial = run_scheduler(
                cfg, db, home.clock, lambda: load_status(db, dag_id, run_id), check, show, request.map_index
            )
            display.write(logs.new_lines(is_over=True))
            display.write(
                f"the answer for task {task_id!r} was not used: the task asked nobody in this run"
                for task_id in answers.list_unused()
            )
            return trial


def _find_dag(home: Home, cfg: Config, request: TrialRequest) -> ParsedTarget:
    """The DAG, parsed in a child process. Every process is forked before the database is opened."""
    settings = build_dag_processor_settings(cfg)
    pool = start_parse_pool(cfg, settings, create_environment_stamps(cfg), home.clock)
    try:
        DatabasePreparation(cfg).wait()
        with _open_database(cfg) as db:
            pool.handle_task_api = lambda question: answer_task(db, None, question)
            known_file = copy_settings(home.cfg, db, request.file_or_id)
            if looks_like_file(request.file_or_id):
                return find_in_file(pool, request.file_or_id, request.dag_id)
            return find_by_id(pool, settings, request.file_or_id, known_file)
    finally:
        pool.close()


def _create_run(home: Home, db: Database, target: ParsedTarget, request: TrialRequest) -> str:
    """Store the DAG (unpaused), its pools and a queued run in the private database; returns the run id."""
    spec, now = target.dag.spec, home.clock.now()
    check_run_conf(home.cfg, spec, request.conf)
    logical_at = find_manual_logical_date(spec, now) if request.logical_at is None else request.logical_at
    planned = plan_manual_run(home.cfg, spec, target.parsed.path, logical_at, now)
    with db.write() as tx:
        dag_files.record_parsed(
            tx, msgspec.structs.replace(target.parsed, dags=(target.dag,), failures=()), at=now, paused_by_default=False
        )
        dags.set_paused(tx, spec.dag_id, False, by=BY, at=now)
        for name in sorted({task.pool for task in spec.tasks}):
            if pools.find_pool(tx, name) is None:
                pools.set_pool(tx, name, MISSING_POOL_SLOTS)
        dag_runs.create_manual_run(
            tx,
            dag_id=spec.dag_id,
            run_id=planned.run_id,
            logical_at=logical_at,
            run_after=planned.run_after,
            interval=(planned.interval_start, planned.interval_end),
            conf=request.conf,
            by=BY,
            at=now,
            of_any_type=True,
        )
    return planned.run_id


def _wait_for_worker(home: Home, db: Database, check: Callable[[], None]) -> None:
    def is_registered() -> bool | None:
        check()
        with db.read() as tx:
            return True if leases.list_workers(tx) else None

    if not poll_until(is_registered, home.clock, home.sleep, WORKER_READY_S):
        raise ResourceUnavailable(say("worker_of_test_did_not_start", duration=WORKER_READY_S))


@contextmanager
def _open_database(cfg: Config) -> Iterator[Database]:
    db = open_database(cfg.database_url, synchronous=cfg.text("database", "synchronous"), cipher=load_cipher(cfg))
    try:
        yield db
    finally:
        db.close()
