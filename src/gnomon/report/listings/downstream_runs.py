"""Which runs of other DAGs came after a run, because they waited for it, and for one another; in the order to run them again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from gnomon.errors.product import UserError
from gnomon.model.ids import quote_argument
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.run_list import find_run, find_spec_of_run
from gnomon.report.listings.task_selection import select_instances, select_tasks
from gnomon.store import Transaction
from gnomon.store.cross_dag import run_waits

MAX_RUNS = 1000
"""So many runs are cleared with one request."""


@dataclass(frozen=True, slots=True)
class DownstreamRow:
    """A run that would be cleared; the first one is what somebody named."""

    dag_id: str
    run_id: str
    state: str
    tasks: list[str] | None
    """None: all of them. A task that waited takes those after it along."""
    waited_for: list[str]
    """DAGs whose runs in this list it waited for."""


@dataclass(frozen=True, slots=True)
class ClearRequestPart:
    """One run of the list, and what its owner is asked (`store.requests`)."""

    row: DownstreamRow
    body: dict[str, object]


@dataclass(slots=True)
class _ReachedRun:
    run_pk: int
    dag_id: str
    run_id: str
    waits: dict[str | None, None]
    """Its tasks that waited; None: the whole run did."""


def collect_parts(tx: Transaction, dag: DagRecord, run: RunRecord, *, only_failed: bool) -> list[ClearRequestPart]:
    """The run, then all that waited for it, directly or not, each after what it waited for. Runs that wait still are left out.

    UserMistake for more than MAX_RUNS runs.
    """
    found, ups = _collect_reached(tx, dag, run)
    first = ClearRequestPart(DownstreamRow(dag.dag_id, run.run_id, run.state.value, None, []), {**_build_body(dag, run), "only_failed": only_failed})
    names = {run.run_pk: dag.dag_id, **{run_pk: one.dag_id for run_pk, one in found.items()}}
    below = [_build_part(tx, found[run_pk], sorted({names[up] for up in ups[run_pk]})) for run_pk in _order_runs(run.run_pk, ups)]
    return [first, *below]


def _collect_reached(tx: Transaction, dag: DagRecord, run: RunRecord) -> tuple[dict[int, _ReachedRun], dict[int, dict[int, None]]]:
    """All runs below, and for each the runs that it waited for, of those."""
    found: dict[int, _ReachedRun] = {}
    ups: defaultdict[int, dict[int, None]] = defaultdict(dict)
    asked = [(run.run_pk, dag.dag_id, run.slot_at)]
    while asked:
        up_pk, up_dag, slot = asked.pop()
        for down in run_waits.list_downstream_runs(tx, up_dag, [] if slot is None else [slot]):
            if down.run_pk == run.run_pk:
                continue
            ups[down.run_pk][up_pk] = None
            if down.run_pk not in found:
                found[down.run_pk] = _ReachedRun(down.run_pk, down.dag_id, down.run_id, {})
                asked.append((down.run_pk, down.dag_id, down.slot_at))
            found[down.run_pk].waits[down.task_id] = None
            if len(found) > MAX_RUNS:
                raise UserError(
                    f"more than {MAX_RUNS} runs of other DAGs came after run {run.run_id!r}; clear them in several steps, with "
                    f"`gnomon runs clear {dag.dag_id} {quote_argument(run.run_id)}` first"
                )
    return found, ups


def _order_runs(first: int, ups: dict[int, dict[int, None]]) -> list[int]:
    """Each run after those that it waited for. Of runs in a circle, which changed schedules can make, the oldest is first."""
    left = {run_pk: set(before) - {first} for run_pk, before in ups.items()}
    ordered = []
    while left:
        ready = sorted(run_pk for run_pk, before in left.items() if not before) or [min(left)]
        for run_pk in ready:
            del left[run_pk]
        ordered += ready
        for before in left.values():
            before.difference_update(ready)
    return ordered


def _build_part(tx: Transaction, found: _ReachedRun, waited_for: list[str]) -> ClearRequestPart:
    dag = find_dag(tx, found.dag_id)
    run = find_run(tx, dag, found.run_id)
    if None in found.waits:
        return ClearRequestPart(DownstreamRow(dag.dag_id, run.run_id, run.state.value, None, waited_for), {**_build_body(dag, run), "only_failed": False})
    spec = find_spec_of_run(tx, dag, run)
    there = {task.task_id for task in spec.tasks}
    waited = sorted(task_id for task_id in found.waits if task_id in there)
    rows = select_instances(tx, dag, run, select_tasks(spec, waited, downstream=True)) if waited else []
    row = DownstreamRow(dag.dag_id, run.run_id, run.state.value, list(dict.fromkeys(one.task_id for one in rows)), waited_for)
    keys = [[dag.task_numbers[one.task_id], one.map_index] for one in rows]
    return ClearRequestPart(row, {**_build_body(dag, run), "tasks": keys, "only_failed": False})


def _build_body(dag: DagRecord, run: RunRecord) -> dict[str, object]:
    return {
        "group_no": dag.group_no, "dag_id": dag.dag_id, "run_id": run.run_id, "dag_pk": dag.dag_pk, "run_pk": run.run_pk, "tasks": None,
    }  # fmt: skip
