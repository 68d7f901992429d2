"""The runs of other DAGs that waited for a run, directly or through other runs, in the order in which to run them again."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from gnomon.model.errors.product import UserError
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, RunName, say
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.run_list import find_run, find_spec_of_run
from gnomon.queries.report.listings.task_selection import Act, select_instances
from gnomon.storage.store import Transaction
from gnomon.storage.store.cross_dag import run_waits

MAX_RUNS = 1000
"""Maximum number of runs that one request clears."""


@dataclass(frozen=True, slots=True)
class DownstreamRow:
    """A run to clear; the first one is the run that the user named."""

    dag_id: str
    run_id: str
    state: str
    tasks: list[str] | None
    """Ids of the tasks to clear: those that waited, all downstream of them, and their setups and teardowns. None: all tasks of the run."""
    waited_for: list[str]
    """Ids of the DAGs whose runs in this list the run waited for."""


@dataclass(frozen=True, slots=True)
class ClearRequestPart:
    """A run of the list, and the body of the request to its owner (`store.ownership.mailbox`)."""

    row: DownstreamRow
    body: dict[str, object]


@dataclass(slots=True)
class _ReachedRun:
    run_pk: int
    dag_id: str
    run_id: str
    waits: dict[str | None, None]
    """Ids of its tasks that waited, as keys; the key None: the whole run waited."""


def collect_parts(tx: Transaction, dag: DagRecord, run: RunRecord, *, only_failed: bool) -> list[ClearRequestPart]:
    """The run, then all runs that waited for it, directly or not, each after the runs that it waited for.

    Runs that are still waiting are left out. `only_failed` applies to the first run. Raises UserError for more than MAX_RUNS runs.
    """
    reached, ups = _collect_reached(tx, dag, run)
    first = ClearRequestPart(
        DownstreamRow(dag.dag_id, run.run_id, run.state.value, None, []),
        {**_build_body(dag, run), "only_failed": only_failed},
    )
    dag_ids = {run.run_pk: dag.dag_id, **{run_pk: down.dag_id for run_pk, down in reached.items()}}
    downstream = [
        _build_part(tx, reached[run_pk], sorted({dag_ids[up] for up in ups[run_pk]}))
        for run_pk in _order_runs(run.run_pk, ups)
    ]
    return [first, *downstream]


def _collect_reached(
    tx: Transaction, dag: DagRecord, run: RunRecord
) -> tuple[dict[int, _ReachedRun], dict[int, dict[int, None]]]:
    """All downstream runs by key, and for each the keys of the runs among them that it waited for."""
    reached: dict[int, _ReachedRun] = {}
    ups: defaultdict[int, dict[int, None]] = defaultdict(dict)
    unvisited = [(run.run_pk, dag.dag_id, run.slot_at)]
    while unvisited:
        up_pk, up_dag, slot = unvisited.pop()
        for down in run_waits.list_downstream_runs(tx, up_dag, [] if slot is None else [slot]):
            if down.run_pk == run.run_pk:
                continue
            ups[down.run_pk][up_pk] = None
            if down.run_pk not in reached:
                reached[down.run_pk] = _ReachedRun(down.run_pk, down.dag_id, down.run_id, {})
                unvisited.append((down.run_pk, down.dag_id, down.slot_at))
            reached[down.run_pk].waits[down.task_id] = None
            if len(reached) > MAX_RUNS:
                raise UserError(
                    say(
                        "too_many_runs_waited",
                        most=MAX_RUNS,
                        run=RunName(dag.dag_id, run.run_id),
                        command=Command("runs clear", (dag.dag_id, run.run_id)),
                    )
                )
    return reached, ups


def _order_runs(first: int, ups: dict[int, dict[int, None]]) -> list[int]:
    """The keys of the runs, each after those that it waited for. In a cycle, which changed schedules can make, the oldest is first."""
    remaining = {run_pk: set(before) - {first} for run_pk, before in ups.items()}
    ordered = []
    while remaining:
        ready = sorted(run_pk for run_pk, before in remaining.items() if not before) or [min(remaining)]
        for run_pk in ready:
            del remaining[run_pk]
        ordered += ready
        for before in remaining.values():
            before.difference_update(ready)
    return ordered


def _build_part(tx: Transaction, reached: _ReachedRun, waited_for: list[str]) -> ClearRequestPart:
    dag = find_dag(tx, reached.dag_id)
    run = find_run(tx, dag, reached.run_id)
    if None in reached.waits:
        return ClearRequestPart(
            DownstreamRow(dag.dag_id, run.run_id, run.state.value, None, waited_for),
            {**_build_body(dag, run), "only_failed": False},
        )
    spec = find_spec_of_run(tx, dag, run)
    existing = {task.task_id for task in spec.tasks}
    waited = sorted(task_id for task_id in reached.waits if task_id in existing)
    instances = select_instances(tx, dag, run, dict.fromkeys(waited), downstream=True, act=Act.CLEAR) if waited else []
    row = DownstreamRow(
        dag.dag_id,
        run.run_id,
        run.state.value,
        list(dict.fromkeys(instance.task_id for instance in instances)),
        waited_for,
    )
    keys = [[dag.task_numbers[instance.task_id], instance.map_index] for instance in instances]
    return ClearRequestPart(row, {**_build_body(dag, run), "tasks": keys, "only_failed": False})


def _build_body(dag: DagRecord, run: RunRecord) -> dict[str, object]:
    return {
        "group_no": dag.group_no,
        "dag_id": dag.dag_id,
        "run_id": run.run_id,
        "dag_pk": dag.dag_pk,
        "run_pk": run.run_pk,
        "tasks": None,
    }
