"""Why a DAG, a run or a task is not running: facts of the database, then the reasons of the engine's own rules.

The rules are evaluated on the state that a scheduler would load if it owned all groups, so that an explanation is what the
scheduler would decide.
"""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.ids import UNMAPPED, TaskKey, format_map_indices, quote_argument, quote_arguments
from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES, DagRunState
from gnomon.queries.report.explanations.attempt_wait import describe_attempt_wait
from gnomon.queries.report.explanations.engine_state_reading import (
    EngineStateReader,
    load_engine_state,
    use_engine_state,
)
from gnomon.queries.report.explanations.skipped_slots import describe_newest_skipped
from gnomon.queries.report.explanations.upstream_wait_status import describe_open_waits, describe_past_waits
from gnomon.queries.report.listings import process_health
from gnomon.queries.report.listings.asset_list import describe_asset_schedule
from gnomon.queries.report.listings.dag_list import describe_process_kind
from gnomon.queries.report.listings.deferral_status import describe_trigger_location
from gnomon.queries.report.listings.import_problems import list_calendar_warnings, list_upstream_warnings
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.quarantine_list import describe_quarantine
from gnomon.queries.report.listings.run_callback_list import describe_callbacks
from gnomon.queries.report.listings.run_list import TaskInstanceRow, find_spec_of_run, list_task_instances
from gnomon.rules.assets.leaf_mappers import PartitionAnswers
from gnomon.rules.engine import explain as rules
from gnomon.rules.engine.state.engine_state import EngineLimits, KeptGraphs
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.parsed_files import dag_files

_SHOWN = 5
"""Maximum number of runs or tasks with a sentence each; the others are counted."""
_FINISHED = {state.value for state in FINISHED_TASK_STATES}


def explain_dag(
    tx: Transaction,
    dag: DagRecord,
    limits: EngineLimits,
    now: Instant,
    answers: PartitionAnswers | PlanningError | None = None,
) -> list[str]:
    """Sentences on why the DAG has no unfinished run, or why its unfinished runs wait. `answers`: as for `describe_asset_schedule`."""
    sentences = _describe_dag(tx, dag, now) + describe_quarantine(tx, dag)
    sentences += _describe_missing_services(tx)
    sentences += describe_asset_schedule(tx, dag, answers) if dag.active else []
    with load_engine_state(tx, limits, dag_pk=dag.dag_pk, groups=(dag.group_no,)) as state:
        sentences += rules.collect_dag_reasons(state, dag.dag_pk, now)
    unfinished, ended = dag_runs.list_unfinished_runs(tx, dag.dag_pk), dag_runs.find_newest_ended_run(tx, dag.dag_pk)
    sentences += [
        f"run {run.run_id} is {run.state}{_describe_run_reason(run)}: gnomon explain {quote_arguments(dag.dag_id, run.run_id)}"
        for run in unfinished[:_SHOWN]
    ]
    sentences += _describe_rest(len(unfinished), "unfinished runs")
    sentences += [describe_ended_run(ended)] if ended else [] if unfinished else ["it has no runs yet"]
    sentences += describe_callbacks(tx, dag, ended) if ended else []
    sentences += describe_newest_skipped(tx, dag)
    return sentences


def explain_run(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    limits: EngineLimits,
    now: Instant,
    reader: EngineStateReader | None = None,
) -> list[str]:
    """Sentences on why the run has not ended, or how it ended. `reader`: has the state when it is needed for more than this."""
    if run.state in FINISHED_RUN_STATES:
        failed = (
            [row for row in list_task_instances(tx, dag, run) if row.state == "failed"]
            if run.state is DagRunState.FAILED
            else []
        )
        sentences = [describe_ended_run(run), *(f"{row.name}: {describe_ended_task(row)}" for row in failed[:_SHOWN])]
        return (
            sentences
            + _describe_rest(len(failed), "failed tasks")
            + describe_past_waits(tx, dag, run)
            + describe_callbacks(tx, dag, run)
        )
    sentences = (
        _describe_missing_services(tx)
        + describe_file_error(tx, dag)
        + _describe_hold(dag)
        + describe_quarantine(tx, dag, run.run_pk)
    )
    with use_engine_state(reader, tx, limits, run) as state:
        sentences += rules.collect_run_reasons(state, run.run_pk, now)
    sentences += describe_open_waits(tx, dag, run, now)
    sentences += [] if run.started_at is None else describe_past_waits(tx, dag, run)
    return sentences + describe_callbacks(tx, dag, run)


def explain_waits(
    tx: Transaction,
    runs: Sequence[RunRecord],
    most: int,
    limits: EngineLimits,
    now: Instant,
    graphs: KeptGraphs | None = None,
) -> dict[int, list[str]]:
    """By run_pk: why each of these unfinished runs, or its tasks that are with no worker, wait; in their order, until `most` of them wait.

    The state is loaded once for all. `graphs`: as for `load_engine_state`.
    """
    reasons: dict[int, list[str]] = {}
    waiting = 0
    with load_engine_state(tx, limits, graphs=graphs) as state:
        for run in runs:
            if waiting == most:
                break
            found = reasons[run.run_pk] = rules.collect_run_reasons(state, run.run_pk, now, only_waiting=True)
            waiting += bool(found) or run.state is DagRunState.QUEUED
    return reasons


def explain_task(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    task_id: str,
    map_index: int,
    limits: EngineLimits,
    now: Instant,
    reader: EngineStateReader | None = None,
) -> list[str]:
    """Sentences on why the task instance has not ended, or how it ended. `reader`: as for `explain_run`. Raises NameNotFound for an unknown task."""
    rows = list_task_instances(tx, dag, run, task_id)
    if not rows and task_id not in dag.task_numbers:
        raise task_not_found(dag.dag_id, task_id, dag.task_numbers)
    row = next((row for row in rows if row.map_index == map_index), None)
    if row is None:
        return [_describe_missing_instance(tx, dag, run, rows, task_id, map_index)]
    location = describe_trigger_location(tx, TaskKey(run.run_pk, dag.task_numbers[task_id], map_index))
    if row.state in _FINISHED:
        return [describe_ended_task(row), *location, *describe_past_waits(tx, dag, run, task_id)]
    if run.state in FINISHED_RUN_STATES:
        return [f"it has no status, and {describe_ended_run(run)}"]
    sentences = (
        _describe_missing_services(tx)
        + _describe_hold(dag)
        + describe_quarantine(tx, dag, run.run_pk, task_id, map_index)
    )
    with use_engine_state(reader, tx, limits, run) as state:
        sentences += rules.collect_task_reasons(state, run.run_pk, task_id, map_index, now)
    sentences += location + describe_attempt_wait(tx, TaskKey(run.run_pk, dag.task_numbers[task_id], map_index))
    return sentences + describe_open_waits(tx, dag, run, now, task_id) + describe_past_waits(tx, dag, run, task_id)


def _describe_dag(tx: Transaction, dag: DagRecord, now: Instant) -> list[str]:
    if not dag.active:
        return [*describe_deletion(dag), *describe_file_error(tx, dag)]
    sentences = describe_file_error(tx, dag)
    sentences += _describe_pause(dag)
    if dag.dependency_error is not None:
        sentences.append(f"no run of the DAG is planned: {dag.dependency_error}")
    sentences += list_upstream_warnings(tx, dag.dag_id).get(dag.dag_id, [])
    sentences += list_calendar_warnings(dag.spec.timetable, now)
    if dag.fresh is not None:
        sentences.append(f"its tasks run in {describe_process_kind(dag)}")
    start = dag.spec.start_at
    if start is not None and start > now:
        sentences.append(f"its start_date {iso(start)} is in the future")
    return sentences


def describe_deletion(dag: DagRecord) -> list[str]:
    """That no file defines the DAG any more, what becomes of its runs, and what to do; [] for a DAG that a file defines."""
    if dag.active:
        return []
    return [
        f"the DAG was deleted: no file defines it any more; its file was {dag.file}",
        "no run of it is created; in an unfinished run, tasks that run go on to their end and no further task starts",
        f"to go on, put the file back; to end a run, gnomon runs mark {quote_arguments(dag.dag_id, 'RUN_ID', options='--state failed')}; to delete all of it, gnomon dags delete {quote_argument(dag.dag_id)}",
    ]


def _describe_pause(dag: DagRecord) -> list[str]:
    return (
        [f"DAG {dag.dag_id} is paused; unpause it with: gnomon dags unpause {quote_argument(dag.dag_id)}"]
        if dag.paused
        else []
    )


def _describe_hold(dag: DagRecord) -> list[str]:
    return describe_deletion(dag) or _describe_pause(dag)


def describe_file_error(tx: Transaction, dag: DagRecord) -> list[str]:
    """Why the file of the DAG cannot be loaded; [] when it can."""
    return [
        f"its file {dag.file} cannot be loaded, so its last good version is used: {error.message}"
        for error in dag_files.list_import_errors(tx)
        if error.path == dag.file
    ]


def _describe_missing_services(tx: Transaction) -> list[str]:
    if process_health.is_scheduler_alive(tx):
        return []
    return ["no scheduler is alive; start one with: gnomon standalone, or gnomon scheduler"]


def _describe_missing_instance(
    tx: Transaction, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], task_id: str, map_index: int
) -> str:
    if rows:
        indices = format_map_indices(row.map_index for row in rows)
        if map_index == UNMAPPED:
            return f"task {task_id} is mapped and has the map indexes {indices} in this run; ask for one of them with --map-index"
        return f"task {task_id} has no map index {map_index} in this run; it has {indices}"
    if any(task.task_id == task_id for task in find_spec_of_run(tx, dag, run).tasks):
        return f"task {task_id} is not part of this run: its start_date and end_date exclude logical date {iso(run.logical_at)}"
    return f"task {task_id} is not part of the version of the DAG that this run uses"


def describe_ended_run(run: RunRecord) -> str:
    """State, time and reason of the end of a run."""
    return f"run {run.run_id} ended in state {run.state} at {iso(run.ended_at)}" + (
        f": {run.reason}" if run.reason else ""
    )


def _describe_run_reason(run: RunRecord) -> str:
    return f" ({run.reason})" if run.reason else ""


def describe_ended_task(row: TaskInstanceRow) -> str:
    """State, try, time and reason of the end of a task instance."""
    tries = f" in try {row.try_number}" if row.try_number else ""
    return (
        f"it ended in state {row.state}{tries}"
        + (f" at {row.end_date}" if row.end_date else "")
        + (f": {row.reason}" if row.reason else "")
    )


def _describe_rest(count: int, what: str) -> list[str]:
    return [f"and {count - _SHOWN} more {what}"] if count > _SHOWN else []
