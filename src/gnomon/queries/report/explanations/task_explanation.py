"""Why a task instance has not ended, or how it ended."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.ids import UNMAPPED, TaskKey, format_map_indices
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Sentence, say
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES
from gnomon.model.wait_conditions import WaitCondition, list_unmet
from gnomon.queries.report.explanations.attempt_wait import describe_attempt_wait
from gnomon.queries.report.explanations.dag_state_conditions import add_activity, check_scheduler, list_quarantined
from gnomon.queries.report.explanations.ended_conditions import (
    check_failed_task,
    describe_ended_run,
    describe_ended_task,
    has_failed,
)
from gnomon.queries.report.explanations.engine_state_reading import load_engine_state
from gnomon.queries.report.explanations.explanation import Explanation
from gnomon.queries.report.explanations.upstream_conditions import add_upstreams, describe_past_waits
from gnomon.queries.report.listings.deferral_status import check_trigger, list_trigger_faults
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import TaskInstanceRow, find_spec_of_run, list_task_instances
from gnomon.rules.engine.conditions.run_conditions import list_task_conditions
from gnomon.rules.engine.state.engine_state import EngineLimits
from gnomon.storage.store import Transaction

_FINISHED = {state.value for state in FINISHED_TASK_STATES}


def explain_task(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    task_id: str,
    map_index: int,
    limits: EngineLimits,
    now: Instant,
) -> Explanation:
    """The conditions of a task instance that has not ended; how one ended, and of one that failed what failed. Raises NameNotFound for an unknown task."""
    rows = list_task_instances(tx, dag, run, task_id)
    if not rows and task_id not in dag.task_numbers:
        raise task_not_found(dag.dag_id, task_id, dag.task_numbers)
    row = next((row for row in rows if row.map_index == map_index), None)
    explanation = Explanation()
    if row is None:
        explanation.note(_describe_missing_instance(tx, dag, run, rows, task_id, map_index))
    elif row.state in _FINISHED:
        _add_end(explanation, tx, dag, run, row)
    elif run.state in FINISHED_RUN_STATES:
        explanation.note(say("task_has_no_status", why=describe_ended_run(dag, run)))
    else:
        _add_waits(explanation, tx, dag, run, row, limits, now)
    return explanation


def _add_end(explanation: Explanation, tx: Transaction, dag: DagRecord, run: RunRecord, row: TaskInstanceRow) -> None:
    if has_failed(row):
        explanation.add(check_failed_task(tx, dag, run, row))
    else:
        explanation.note(describe_ended_task(row))
    explanation.note(*list_trigger_faults(tx, _key_of(dag, run, row)))
    explanation.note(*describe_past_waits(tx, dag, run, row.task_id))


def _add_waits(
    explanation: Explanation,
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    row: TaskInstanceRow,
    limits: EngineLimits,
    now: Instant,
) -> None:
    key = _key_of(dag, run, row)
    explanation.add(check_scheduler(tx))
    add_activity(explanation, dag)
    explanation.add(*list_quarantined(tx, dag, run.run_pk, row.task_id, row.map_index))
    upstreams = Explanation()
    add_upstreams(upstreams, tx, dag, run, now, row.task_id)
    with load_engine_state(tx, limits, run) as state:
        waits = list_task_conditions(state, run.run_pk, row.task_id, row.map_index, now)
    _add_conditions(explanation, waits, has_open_upstream=bool(list_unmet(upstreams.conditions)))
    trigger = check_trigger(tx, key)
    if trigger is not None:
        explanation.conditions.append(trigger)
        explanation.tell([trigger])
    explanation.note(*list_trigger_faults(tx, key), *describe_attempt_wait(tx, key))
    explanation.include(upstreams)
    explanation.note(*describe_past_waits(tx, dag, run, row.task_id))


def _add_conditions(explanation: Explanation, waits: Sequence[WaitCondition], *, has_open_upstream: bool) -> None:
    """Add what the engine says, and tell the first that is not met; what is said already, of the pause and of other DAGs slot by slot, is left out."""
    told_elsewhere = {"dag_active", "upstream_dags", "rules"} if has_open_upstream else {"dag_active"}
    conditions = [condition for condition in waits if condition.kind not in told_elsewhere]
    explanation.conditions += conditions
    explanation.tell(list_unmet(conditions)[:1])


def _key_of(dag: DagRecord, run: RunRecord, row: TaskInstanceRow) -> TaskKey:
    return TaskKey(run.run_pk, dag.task_numbers[row.task_id], row.map_index)


def _describe_missing_instance(
    tx: Transaction, dag: DagRecord, run: RunRecord, rows: Sequence[TaskInstanceRow], task_id: str, map_index: int
) -> Sentence:
    if rows:
        indices = format_map_indices(row.map_index for row in rows)
        if map_index == UNMAPPED:
            return say("task_is_mapped", task_id=task_id, indices=indices)
        return say("task_has_no_map_index", task_id=task_id, map_index=map_index, indices=indices)
    if any(task.task_id == task_id for task in find_spec_of_run(tx, dag, run).tasks):
        return say("task_is_outside_its_dates", task_id=task_id, at=run.logical_at)
    return say("task_is_not_in_version", task_id=task_id)
