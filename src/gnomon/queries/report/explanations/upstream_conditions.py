"""The waits of a run for other DAGs as conditions: one for each dependency, and below it one for each upstream slot."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.instants import Instant, iso
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.run_waits import RunWait, WaitState
from gnomon.model.states import DagRunState
from gnomon.model.upstream_edges import Edge
from gnomon.model.wait_conditions import ReleaseAct, ReleaseTarget, WaitCondition
from gnomon.queries.report.explanations.upstream_slot_status import describe_slot, find_upstream
from gnomon.queries.report.explanations.upstream_wait_status import (
    describe_wait_outcome,
    describe_wait_start,
    is_wait_over,
    read_edges,
)
from gnomon.storage.store import Transaction

SLOTS_MAX = 20
"""The most slots of a dependency that are conditions of their own."""


def list_upstream_conditions(
    tx: Transaction, dag: DagRecord, run: RunRecord, now: Instant, task_id: str | None = None
) -> list[WaitCondition]:
    """The dependencies of the run while it is queued, and those of its tasks while it is running; `task_id`: without those of other tasks."""
    conditions = []
    for edge, waits in read_edges(tx, dag, run):
        if task_id is not None and edge.task_id not in (None, task_id):
            continue
        if waits and is_wait_over(edge, waits):
            conditions.append(
                WaitCondition(
                    "upstream_dag", True, describe_wait_outcome(dag, edge, waits), max(wait.since for wait in waits)
                )
            )
        elif run.state is (DagRunState.QUEUED if edge.task_id is None else DagRunState.RUNNING):
            conditions.append(_describe_open(tx, dag, run, edge, waits, now))
    return conditions


def _describe_open(
    tx: Transaction, dag: DagRecord, run: RunRecord, edge: Edge, waits: Sequence[RunWait], now: Instant
) -> WaitCondition:
    open_waits = [wait for wait in waits if wait.state.is_open]
    since = min((wait.since for wait in open_waits), default=run.queued_at)
    release = (
        ReleaseTarget(ReleaseAct.RELEASE_RUN, dag.dag_id, run.run_id, upstream_dag_id=edge.after.dag_id)
        if waits
        else None
    )
    closed = [
        WaitCondition("upstream_slot", True, _describe_closed(edge, wait), wait.since)
        for wait in waits
        if not wait.state.is_open
    ]
    slots = _list_open_slots(tx, edge, open_waits[:SLOTS_MAX], now) + closed[:SLOTS_MAX]
    return WaitCondition(
        "upstream_dag", False, describe_wait_start(dag, run, edge, waits), since, release, tuple(slots)
    )


def _list_open_slots(tx: Transaction, edge: Edge, waits: Sequence[RunWait], now: Instant) -> list[WaitCondition]:
    up = find_upstream(tx, edge)
    conditions = []
    for wait in waits:
        status = describe_slot(tx, up, edge, wait, now)
        conditions += [
            WaitCondition("upstream_slot", False, text, wait.since, _find_release(up, run)) for text, run in status
        ]
    return conditions


def _find_release(up: DagRecord | None, run: RunRecord | None) -> ReleaseTarget | None:
    """The act that lets the upstream go on: it is paused, or its run has failed."""
    if up is None:
        return None
    if run is not None and run.state is DagRunState.FAILED:
        return ReleaseTarget(ReleaseAct.CLEAR_RUN, up.dag_id, run.run_id)
    return ReleaseTarget(ReleaseAct.UNPAUSE_DAG, up.dag_id) if up.paused else None


def _describe_closed(edge: Edge, wait: RunWait) -> str:
    words = "is done" if wait.state is WaitState.MET else wait.note or wait.state.name.lower()
    return f"the slot of {edge.after.dag_id} at {iso(wait.up_at)}: {words}"
