"""What a clear of markers (ExternalTaskMarker) clears in runs of other DAGs: the tasks that they name and all below, and so on along the markers there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from gnomon.model.errors.product import UserError
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant, to_instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import RunName, TaskName, say
from gnomon.model.spec import ClearedTask
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import TaskInstanceRow, find_spec_of_run
from gnomon.queries.report.listings.task_selection import Act, select_instances
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dags
from gnomon.storage.store.dag_records.rendered_fields import read_rendered_fields
from gnomon.storage.store.pages.page_query import Condition, Operator, PageQuery, SortKey
from gnomon.storage.store.pages.run_pages import read_run_page

RUNS_MAX = 1000
"""The most runs of other DAGs that one clear reaches."""


@dataclass(frozen=True, slots=True)
class RunInstancesToClear:
    """Task instances of one run of another DAG."""

    dag: DagRecord
    run: RunRecord
    rows: list[TaskInstanceRow]


@dataclass(frozen=True, slots=True)
class _Marker:
    """A selected task instance of a marker; `depth_left`: how many markers in a row may still be followed, this one included."""

    dag: DagRecord
    run: RunRecord
    row: TaskInstanceRow
    task: ClearedTask
    depth_left: int


def follow_markers(
    tx: Transaction, dag: DagRecord, run: RunRecord, rows: Iterable[TaskInstanceRow], *, only_failed: bool = False
) -> list[RunInstancesToClear]:
    """What a clear of these instances clears too, run by run, without these instances. Task instances without a state, which a clear leaves as they are,
    are left out, and markers without one are not followed.

    Raises UserError when markers lead further than the `recursion_depth` of the first of them.
    """
    rows = list(rows)
    seen_names = {(run.run_pk, row.name) for row in rows}
    cleared: dict[int, RunInstancesToClear] = {}
    pending = list(_list_markers(tx, dag, run, rows, None))
    while pending:
        marker = pending.pop(0)
        if marker.depth_left <= 0:
            raise UserError(
                say(
                    "markers_lead_too_far",
                    task=TaskName(marker.dag.dag_id, marker.run.run_id, marker.row.task_id, marker.row.map_index),
                    run=RunName(marker.dag.dag_id, marker.run.run_id),
                    dag=marker.dag.dag_id,
                )
            )
        for reached in _list_reached(tx, marker, only_failed):
            new = [row for row in reached.rows if (reached.run.run_pk, row.name) not in seen_names]
            seen_names.update((reached.run.run_pk, row.name) for row in new)
            if new:
                of_run = cleared.setdefault(reached.run.run_pk, RunInstancesToClear(reached.dag, reached.run, []))
                of_run.rows.extend(new)
                pending += _list_markers(tx, reached.dag, reached.run, new, marker.depth_left - 1)
            if len(cleared) > RUNS_MAX:
                raise UserError(say("markers_lead_to_many_runs", most=RUNS_MAX))
    return list(cleared.values())


def _list_markers(
    tx: Transaction, dag: DagRecord, run: RunRecord, rows: Iterable[TaskInstanceRow], depth_left: int | None
) -> Iterator[_Marker]:
    clears = {task.task_id: task.clears for task in find_spec_of_run(tx, dag, run).tasks if task.clears is not None}
    for row in rows if clears else ():
        task = clears.get(row.task_id)
        if task is not None and row.state is not None:
            yield _Marker(dag, run, row, task, task.depth if depth_left is None else depth_left)


def _list_reached(tx: Transaction, marker: _Marker, only_failed: bool) -> Iterator[RunInstancesToClear]:
    dag_id, task_id, date = _resolve(tx, marker)
    if dag_id is None or task_id is None or date is None or dags.find_dag_row(tx, dag_id) is None:
        return
    dag = find_dag(tx, dag_id)
    conditions = (Condition("dag_pk", Operator.EQUAL, dag.dag_pk), Condition("logical_date", Operator.EQUAL, date))
    for listed in read_run_page(tx, PageQuery(conditions, (SortKey("run_after"), SortKey("id")), RUNS_MAX)).runs:
        if all(task.task_id != task_id for task in find_spec_of_run(tx, dag, listed.run).tasks):
            continue
        rows = select_instances(
            tx, dag, listed.run, {task_id: None}, downstream=True, only_failed=only_failed, act=Act.CLEAR
        )
        yield RunInstancesToClear(dag, listed.run, [row for row in rows if row.state is not None])


def _resolve(tx: Transaction, marker: _Marker) -> tuple[str | None, str | None, Instant | None]:
    """The DAG, the task and the logical date that the marker names; None for what it has not rendered yet."""
    task = marker.task
    if task.dag_id is not None:
        return (
            task.dag_id,
            task.task_id,
            marker.run.logical_at if task.logical_date is None else _read_date(task.logical_date),
        )
    number = marker.dag.task_numbers.get(marker.row.task_id, -1)
    fields = read_rendered_fields(tx, TaskKey(marker.run.run_pk, number, marker.row.map_index))
    dag_id, task_id, date = (fields.get(name) for name in ("external_dag_id", "external_task_id", "logical_date"))
    return (
        dag_id if isinstance(dag_id, str) else None,
        task_id if isinstance(task_id, str) else None,
        _read_date(date) if isinstance(date, str) else None,
    )


def _read_date(text: str) -> Instant | None:
    try:
        moment = datetime.fromisoformat(text)
        return to_instant(moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC))
    except (ValueError, OverflowError):
        return None
