"""Runs a DAG object once, from its spec to the end of its run, with the scheduler in this process."""

from __future__ import annotations

import logging
import re
import socket
import sys
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

import msgspec

from gnomon.author_code.loading import cluster_policies, dagfile
from gnomon.author_code.loading.class_loader import load_class
from gnomon.author_code.loading.plugin_links import get_plugin_links
from gnomon.author_code.loading.timetable_loader import rebuild_timetable
from gnomon.author_code.timetable_host.in_process import InProcessTimetableHost
from gnomon.authoring.sdk.arguments import params
from gnomon.authoring.sdk.arguments.notset import NOTSET
from gnomon.authoring.sdk.arguments.timezone import make_aware
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.entry.app.on_demand import TRIGGERER, OnDemandStart
from gnomon.entry.testing.dag_runs.console_logging import console_logging
from gnomon.entry.testing.dag_runs.executor_services import ExecutorServices
from gnomon.entry.testing.dag_runs.finished_run import FinishedDagRun
from gnomon.entry.testing.dag_runs.in_process_executor import WORKER_SLOTS, InProcessExecutor
from gnomon.entry.testing.dag_runs.in_process_triggers import InProcessTriggerer
from gnomon.entry.testing.dag_runs.marking_executor import Mark, MarkingExecutor
from gnomon.entry.testing.dag_runs.private_store import PrivateStore
from gnomon.entry.testing.dag_runs.settings_files import settings_of_files
from gnomon.entry.testing.dag_runs.task_logs import TaskLogs
from gnomon.ground.clock import Clock, SystemClock, VirtualClock, virtual_time
from gnomon.model.attempts import RunFacts
from gnomon.model.errors.authoring import ParamValidationError
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant, to_instant
from gnomon.model.records import WorkerRecord
from gnomon.model.sentences import say
from gnomon.model.slots import PlannedRun
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run, list_task_instances
from gnomon.rules.planning import PlanningError, build_manual_run, infer_manual_run
from gnomon.services.executors.local import LocalExecutor
from gnomon.services.scheduler.service import SchedulerService
from gnomon.services.scheduler.settings import build_trial_settings
from gnomon.storage.store.admin import pools
from gnomon.storage.store.coordination import leases
from gnomon.storage.store.dag_records import dag_runs, dags
from gnomon.storage.store.parsed_files import dag_files

_BY = "dag.test"
_POOL_SLOTS = 128
"""Slots of a pool that a task names but the store does not have."""
_LOOK_S = 0.5
"""Longest time between two looks at the run."""
_NEVER_S = 1e9
_log = logging.getLogger("airflow.dag_test")


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What a test run is made of, besides the DAG."""

    logical_at: Instant | None
    run_after: Instant
    conf: dict[str, object]
    mark: Mark | None = None
    """Which attempts end as success without being run."""
    use_executor: bool = False
    change_spec: Callable[[DagSpec], DagSpec] = lambda spec: spec


def run_dag(
    dag: Any,
    run_after: datetime | None = None,
    logical_date: Any = NOTSET,
    run_conf: dict[str, Any] | None = None,
    conn_file_path: str | None = None,
    variable_file_path: str | None = None,
    use_executor: bool = False,
    mark_success_pattern: Any = None,
    *,
    store: PrivateStore | None = None,
    clock: Clock | None = None,
) -> FinishedDagRun:
    """Run the DAG once, to its end, and return the run. `DAG.test` describes the arguments of Airflow.

    `store`: the store of the run; None: a store with a copy of the home's Variables, connections and pools. `clock`: with a
    VirtualClock no timer is waited for.

    Raises UserError when the DAG, the conf or a file is not valid.
    """
    clock = clock or SystemClock()
    if use_executor and isinstance(clock, VirtualClock):
        raise UserError(say("executor_excludes_clock"))
    now = clock.now()
    options = RunOptions(
        logical_at=now
        if logical_date is NOTSET
        else None
        if logical_date is None
        else to_instant_of_date(logical_date),
        run_after=now if run_after is None else to_instant_of_date(run_after),
        conf=dict(run_conf or {}),
        mark=None if mark_success_pattern is None else _mark_matching(mark_success_pattern),
        use_executor=use_executor,
    )
    with ExitStack() as stack:
        store = PrivateStore(copies_home=True) if store is None else store
        stack.enter_context(console_logging(store.cfg.text("logging", "logging_level")))
        stack.enter_context(settings_of_files(store, conn_file_path, variable_file_path))
        return ForegroundRun(dag, store, clock, options).run()


class ForegroundRun:
    """One run of a DAG object in a store."""

    def __init__(self, dag: Any, store: PrivateStore, clock: Clock, options: RunOptions) -> None:
        self._dag = dag
        self._store = store
        self._db = store.db
        self._clock = clock
        self._options = options
        self._worker_id = str(uuid.uuid4())

    def run(self) -> FinishedDagRun:
        """Run the DAG to its end. Raises UserError when the DAG or the conf is not valid."""
        dagfile.extend_search_path(self._dag.fileloc)
        parsed = self._parse()
        run_id = self._create_run(parsed)
        with ExitStack() as stack:
            if isinstance(self._clock, VirtualClock):
                stack.enter_context(virtual_time(self._clock))
            if self._options.use_executor:
                self._run_with_executor(stack, run_id)
            else:
                self._run_in_process(stack, run_id)
        return self._read_run(run_id)

    def _parse(self) -> ParsedDag:
        outcome = cluster_policies.apply_policies({} if dagfile.is_loaded(self._dag) else {self._dag.dag_id: self._dag})
        for error in outcome.refused.values():
            raise UserError(say("dag_has_error", dag=self._dag.dag_id, error=str(error)))
        parsed = build_dag_spec(
            self._dag, self._dag.fileloc, load_class, cluster_policies.describe_policies(), get_plugin_links()
        )
        for warning in self._dag.warnings:
            _log.warning("%s", warning)
        spec = parsed.spec
        if spec.depends_on or any(task.depends_on for task in spec.tasks):
            _log.warning("DAG %r: dag.test() does not wait for other DAGs (depends_on)", spec.dag_id)
        mark = self._options.mark or (lambda _: None)
        tasks = tuple(
            msgspec.structs.replace(
                task, depends_on=(), start_wait=task.start_wait if mark(task.task_id) is None else None
            )
            for task in spec.tasks
        )
        spec = self._options.change_spec(msgspec.structs.replace(spec, depends_on=(), tasks=tasks))
        return ParsedDag(spec=spec, spec_hash=str(uuid.uuid4()))

    def _create_run(self, parsed: ParsedDag) -> str:
        spec, now, options = parsed.spec, self._clock.now(), self._options
        try:
            params.check_conf(spec, options.conf)
        except ParamValidationError as error:
            raise UserError(say("run_conf_does_not_fit", dag=spec.dag_id, error=str(error))) from None
        planned = self._plan(spec)
        with self._db.write() as tx:
            file = ParsedFile(path=self._dag.fileloc, inputs=FileInputs(input_hash=parsed.spec_hash), dags=(parsed,))
            dag_files.record_parsed(tx, file, at=now, paused_by_default=False)
            dags.set_paused(tx, spec.dag_id, False, by=_BY, at=now)
            for name in sorted({task.pool for task in spec.tasks}):
                if pools.find_pool(tx, name) is None:
                    pools.set_pool(tx, name, _POOL_SLOTS)
            run_id = _find_free_id(tx, spec.dag_id, planned.run_id)
            dag_runs.create_manual_run(
                tx,
                dag_id=spec.dag_id,
                run_id=run_id,
                logical_at=options.logical_at,
                run_after=min(options.run_after, now),
                interval=(planned.interval_start, planned.interval_end),
                conf=options.conf,
                by=_BY,
                at=now,
                of_any_type=True,
            )
        return run_id

    def _plan(self, spec: DagSpec) -> PlannedRun:
        """The run id and the data interval, from the timetable of the DAG; an author's class is called in this process."""
        options = self._options
        try:
            if spec.timetable.builtin or not spec.timetable.can_be_scheduled:
                return infer_manual_run(spec, logical_at=options.logical_at, now=options.run_after)
            return build_manual_run(
                rebuild_timetable(spec.timetable, self._dag.fileloc), options.logical_at, options.run_after
            )
        except PlanningError as error:
            raise UserError(say("timetable_infers_no_interval_of_run", dag=spec.dag_id, error=str(error))) from None

    # ---- the loop ------------------------------------------------------------------------------------------------------
    def _run_in_process(self, stack: ExitStack, run_id: str) -> None:
        inner = InProcessExecutor(self._dag, self._db, self._clock, self._worker_id)
        with self._db.write() as tx:
            leases.register_worker(
                tx, WorkerRecord(self._worker_id, "in-process", "", WORKER_SLOTS, self._clock.now(), False)
            )
        stack.callback(self._retire_worker)
        triggerer = InProcessTriggerer(self._db, str(uuid.uuid4()))
        stack.callback(triggerer.close)
        service = self._build_scheduler(
            inner, lambda: None, _NEVER_S if isinstance(self._clock, VirtualClock) else None
        )
        stack.callback(service.lease.release_all)
        while True:
            with self._db.write() as tx:
                leases.beat_worker(tx, self._worker_id)
            wake_at = service.tick()
            if self._is_over(service, run_id):
                return
            if inner.run_next():
                continue
            wait_s = max(0.0, min((wake_at - self._clock.now()) / SECOND, _LOOK_S))
            if isinstance(self._clock, VirtualClock):
                self._advance(triggerer, wake_at)
            elif not triggerer.step(wait_s) and not triggerer.is_busy:
                time.sleep(wait_s)

    def _advance(self, triggerer: InProcessTriggerer, wake_at: Instant) -> None:
        """Move the virtual clock to the next timer, unless a trigger has an event first."""
        if not triggerer.step(_LOOK_S) and not triggerer.is_busy:
            assert isinstance(self._clock, VirtualClock)
            self._clock.advance_to(max(wake_at, self._clock.now() + 1))

    def _run_with_executor(self, stack: ExitStack, run_id: str) -> None:
        if not dagfile.is_file(self._dag.fileloc):
            raise UserError(say("dag_is_in_no_file", dag=self._dag.dag_id, file=self._dag.fileloc or "unknown"))
        OnDemandStart(self._store.cfg, TRIGGERER)
        services = ExecutorServices(self._store.cfg)
        stack.callback(services.close)
        executor = LocalExecutor(scheduler_id := str(uuid.uuid4()))
        service = self._build_scheduler(executor, services.start_triggerer, None, scheduler_id, services.listener)
        stack.callback(executor.close)
        logs = TaskLogs(self._store.cfg.logs_folder)
        while True:
            wake_at = service.tick()
            is_over = self._is_over(service, run_id)
            for line in logs.new_lines(is_over=is_over):
                sys.stderr.write(f"{line}\n")
            if is_over:
                return
            services.wait(executor, max(0.0, min((wake_at - self._clock.now()) / SECOND, _LOOK_S)))

    def _build_scheduler(
        self,
        executor: Any,
        wake_triggerers: Callable[[], object],
        beat_s: float | None,
        scheduler_id: str | None = None,
        listener: Any = None,
    ) -> SchedulerService:
        settings = build_trial_settings(self._store.cfg)
        if beat_s is not None:
            settings = replace(settings, beat_s=beat_s, sweep_s=beat_s)
        if self._options.mark is not None:
            executor = MarkingExecutor(executor, self._options.mark, self._clock)
        return SchedulerService(
            settings=settings,
            db=self._db,
            executor=executor,
            clock=self._clock,
            listener=_ALWAYS_NOTIFIED if listener is None else listener,
            new_id=lambda: str(uuid.uuid4()),
            scheduler_id=scheduler_id or str(uuid.uuid4()),
            host=socket.gethostname(),
            wake_triggerers=wake_triggerers,
            timetables=InProcessTimetableHost(),
            missing_pool_slots=_POOL_SLOTS,
        )

    def _is_over(self, service: SchedulerService, run_id: str) -> bool:
        with self._db.read() as tx:
            run = dag_runs.find_stored_run(tx, self._dag.dag_id, run_id)
        return run is not None and run.state in FINISHED_RUN_STATES and not service.engine_state.callbacks

    def _retire_worker(self) -> None:
        with self._db.write() as tx:
            leases.retire_worker(tx, self._worker_id)

    def _read_run(self, run_id: str) -> FinishedDagRun:
        with self._db.read() as tx:
            record = find_dag(tx, self._dag.dag_id)
            run = find_run(tx, record, run_id)
            rows = list_task_instances(tx, record, run)
        facts = RunFacts(
            run_pk=run.run_pk,
            dag_id=self._dag.dag_id,
            run_id=run.run_id,
            run_type=run.run_type.value,
            run_after=run.run_after,
            logical_at=run.logical_at,
            interval_start=run.interval_start,
            interval_end=run.interval_end,
            queued_at=run.queued_at,
            started_at=run.started_at,
            ended_at=run.ended_at,
            state=run.state.value,
            conf=run.conf,
        )
        _log.info("run %s %s%s", run_id, run.state, f": {run.reason}" if run.reason else "")
        return FinishedDagRun(facts, run, rows, self._store, self._dag)


class _AlwaysNotified:
    """Stands for the listener of the scheduler: the mail is read in every round, because everything happens between two rounds."""

    def drain(self) -> bool:
        return True


_ALWAYS_NOTIFIED: Any = _AlwaysNotified()


def _find_free_id(tx: Any, dag_id: str, base_id: str) -> str:
    """The run id, with a number at its end when the store has such a run of an earlier test run."""
    run_id, number = base_id, 1
    while dag_runs.find_stored_run(tx, dag_id, run_id) is not None:
        number += 1
        run_id = f"{base_id}_{number}"
    return run_id


def _mark_matching(pattern: Any) -> Mark:
    """Ends the tasks whose whole id matches. Raises UserError for a pattern that is no regular expression."""
    try:
        matcher = re.compile(pattern)
    except (re.error, TypeError) as error:
        raise UserError(say("pattern_is_no_expression", pattern=repr(pattern), error=str(error))) from None
    return partial(_mark_if_matching, matcher)


def _mark_if_matching(matcher: re.Pattern[str], task_id: str) -> dict[str, object] | None:
    return None if matcher.fullmatch(task_id) is None else {}


def to_instant_of_date(moment: Any) -> Instant:
    """The instant of a date, or of text in ISO 8601; without a zone it is in UTC. Raises UserError for anything else."""
    if isinstance(moment, str):
        try:
            moment = datetime.fromisoformat(moment)
        except ValueError:
            raise UserError(say("text_is_no_date", text=repr(moment))) from None
    if not isinstance(moment, datetime):
        raise UserError(say("date_is_needed", text=repr(moment)))
    return to_instant(moment if moment.tzinfo is not None else make_aware(moment))
