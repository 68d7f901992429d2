"""Why a DAG, a run or a task is not running, as a tree of conditions: the data behind the sentences of `explanation.py`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant, iso, to_instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.queries.report.explanations.engine_state_reading import (
    EngineStateReader,
    load_engine_state,
    use_engine_state,
)
from gnomon.queries.report.explanations.explanation import (
    describe_deletion,
    describe_ended_run,
    describe_ended_task,
    describe_file_error,
)
from gnomon.queries.report.explanations.upstream_conditions import list_upstream_conditions
from gnomon.queries.report.listings import process_health
from gnomon.queries.report.listings.deferral_status import list_trigger_status
from gnomon.queries.report.listings.run_list import TaskInstanceRow, list_task_instances
from gnomon.queries.report.listings.task_selection import FAILED_STATE_NAMES, list_awaited
from gnomon.rules.engine import explain_conditions as rules
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs

TASKS_MAX = 20
"""The most failed tasks, or unfinished runs, that are conditions of their own."""
_FINISHED = {state.value for state in FINISHED_TASK_STATES}
_START_TRIGGERER = ReleaseTarget(ReleaseAct.START_SERVICE, service="triggerer")


def list_dag_conditions(tx: Transaction, dag: DagRecord, limits: EngineLimits, now: Instant) -> list[WaitCondition]:
    """The conditions for runs of the DAG, and its unfinished runs with theirs."""
    conditions = [*_list_services(tx), *_list_file_errors(tx, dag), _describe_dag(dag)]
    if dag.dependency_error is not None and dag.active:
        conditions.append(WaitCondition("dependencies", False, f"no run of the DAG is planned: {dag.dependency_error}"))
    if dag.error is not None and dag.active:
        conditions.append(WaitCondition("planning", False, f"planning stopped: {dag.error}"))
    start = dag.spec.start_at
    if start is not None and start > now and dag.active:
        conditions.append(WaitCondition("start_date", False, f"its start_date {iso(start)} is in the future"))
    if dag.next_run is not None and dag.active:
        due = dag.next_run.run_after
        conditions.append(WaitCondition("run_due", due <= now, f"the next run is due at {iso(due)}"))
    unfinished = dag_runs.list_unfinished_runs(tx, dag.dag_pk)[:TASKS_MAX]
    return [*conditions, *_list_unfinished(tx, dag, limits, unfinished, now)] if unfinished else conditions


def _list_unfinished(
    tx: Transaction, dag: DagRecord, limits: EngineLimits, runs: Sequence[RunRecord], now: Instant
) -> list[WaitCondition]:
    """A condition for each of these runs, with those of the run that are not met."""
    conditions = []
    with load_engine_state(tx, limits, dag_pk=dag.dag_pk) as state:
        for run in runs:
            children = [one for one in rules.list_run_conditions(state, run.run_pk, now) if not one.is_met]
            conditions.append(
                WaitCondition(
                    "run",
                    False,
                    f"run {run.run_id} is {run.state}",
                    run.started_at or run.queued_at,
                    children=tuple(children),
                )
            )
    return conditions


def list_run_conditions(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    limits: EngineLimits,
    now: Instant,
    reader: EngineStateReader | None = None,
) -> list[WaitCondition]:
    """The conditions of a run that has not ended; of one that failed, the failed tasks. `reader`: has the state when it is needed for more than this."""
    if run.state in FINISHED_RUN_STATES:
        return _list_failures(tx, dag, run)
    with use_engine_state(reader, tx, limits, run) as state:
        found = rules.list_run_conditions(state, run.run_pk, now)
    return [
        *_list_services(tx),
        *_list_file_errors(tx, dag),
        *_with_activity(dag, found),
        *list_upstream_conditions(tx, dag, run, now),
    ]


def list_task_conditions(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    task_id: str,
    map_index: int,
    limits: EngineLimits,
    now: Instant,
    reader: EngineStateReader | None = None,
) -> list[WaitCondition]:
    """The conditions of a task instance that has not ended; of one that failed, what failed. `reader`: as for `list_run_conditions`."""
    row = next((row for row in list_task_instances(tx, dag, run, task_id) if row.map_index == map_index), None)
    if row is None or row.state in _FINISHED or run.state in FINISHED_RUN_STATES:
        return [] if row is None or row.state not in FAILED_STATE_NAMES else [_describe_failure(tx, dag, run, row)]
    with use_engine_state(reader, tx, limits, run) as state:
        found = rules.list_task_conditions(state, run.run_pk, task_id, map_index, now)
    upstream = list_upstream_conditions(tx, dag, run, now, task_id)
    if any(not one.is_met for one in upstream):
        found = [one for one in found if one.kind != "rules"]
    status = list_trigger_status(tx, TaskKey(run.run_pk, dag.task_numbers[task_id], map_index))
    triggers = [
        WaitCondition("triggerer", one.is_running, one.text, release=_START_TRIGGERER if one.needs_triggerer else None)
        for one in status
    ]
    return [*_list_services(tx), *_with_activity(dag, found), *triggers, *upstream]


def _with_activity(dag: DagRecord, found: Sequence[WaitCondition]) -> list[WaitCondition]:
    """The conditions, with that of the pause first."""
    return [_describe_dag(dag), *(one for one in found if one.kind != "dag_active")]


def _describe_dag(dag: DagRecord) -> WaitCondition:
    if not dag.active:
        return WaitCondition("dag_active", False, "; ".join(describe_deletion(dag)))
    if dag.paused:
        return WaitCondition(
            "dag_active",
            False,
            f"DAG {dag.dag_id} is paused",
            release=ReleaseTarget(ReleaseAct.UNPAUSE_DAG, dag.dag_id),
        )
    return WaitCondition("dag_active", True, f"DAG {dag.dag_id} is not paused")


def _list_services(tx: Transaction) -> list[WaitCondition]:
    if process_health.is_scheduler_alive(tx):
        return [WaitCondition("scheduler", True, "a scheduler is alive")]
    release = ReleaseTarget(ReleaseAct.START_SERVICE, service="scheduler")
    return [
        WaitCondition(
            "scheduler",
            False,
            "no scheduler is alive; start one with: gnomon standalone, or gnomon scheduler",
            release=release,
        )
    ]


def _list_file_errors(tx: Transaction, dag: DagRecord) -> list[WaitCondition]:
    return [WaitCondition("file_loads", False, text) for text in describe_file_error(tx, dag)]


def _list_failures(tx: Transaction, dag: DagRecord, run: RunRecord) -> list[WaitCondition]:
    if run.state is not DagRunState.FAILED:
        return []
    failed = [row for row in list_task_instances(tx, dag, run) if row.state == "failed"]
    children = tuple(_describe_failed(run, row) for row in failed[:TASKS_MAX])
    return [
        WaitCondition(
            "outcome",
            False,
            describe_ended_run(run),
            run.ended_at,
            ReleaseTarget(ReleaseAct.CLEAR_RUN, dag.dag_id, run.run_id),
            children,
        )
    ]


def _describe_failure(tx: Transaction, dag: DagRecord, run: RunRecord, row: TaskInstanceRow) -> WaitCondition:
    above = list_awaited(tx, dag, run, row) if row.state == "upstream_failed" else []
    failed = [other for other in above if other.state in FAILED_STATE_NAMES]
    own = _describe_failed(run, row)
    return WaitCondition(
        "outcome",
        False,
        describe_ended_task(row),
        own.since,
        own.release,
        tuple(_describe_failed(run, other) for other in failed[:TASKS_MAX]),
    )


def _describe_failed(run: RunRecord, row: TaskInstanceRow) -> WaitCondition:
    release = ReleaseTarget(ReleaseAct.CLEAR_TASK, row.dag_id, run.run_id, row.task_id, row.map_index)
    since = None if row.end_date is None else to_instant(datetime.fromisoformat(row.end_date))
    return WaitCondition("task", False, f"{row.name}: {describe_ended_task(row)}", since, release)
