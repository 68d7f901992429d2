"""What runs wait for in other DAGs: `run_wait`, one row for each slot (CROSS_DAG in docs/contributing/ownership.md)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from gnomon.model.instants import Instant
from gnomon.model.run_waits import RunWait, SubscriptionMessage, WaitState
from gnomon.storage.store.transaction import KEYS_PER_STATEMENT, Row, Transaction


@dataclass(frozen=True, slots=True)
class DownstreamRun:
    """A run that waited for a slot of another DAG and has started or ended since."""

    run_pk: int
    dag_pk: int
    dag_id: str
    run_id: str
    group_no: int
    task_id: str | None
    """The task that waited; None: the whole run waited."""
    slot_at: Instant | None
    """The planned time of its own slot, by which the runs that waited for it are found."""


def encode_run_wait(wait: RunWait) -> Row:
    """The columns of `run_waits.put`."""
    return (
        wait.down_run,
        wait.edge_no,
        wait.up_dag,
        wait.up_at,
        wait.down_group,
        wait.up_group,
        wait.task_id,
        int(wait.state),
        wait.keeps,
        wait.rule,
        wait.since,
        wait.clear_number,
        wait.note,
    )


def load_run_waits(tx: Transaction, run_pks: Iterable[int]) -> dict[int, list[RunWait]]:
    """The waits of these runs, by run, also those that are met; a run without waits is left out."""
    waits: dict[int, list[RunWait]] = {}
    ordered = list(run_pks)
    for start in range(0, len(ordered), KEYS_PER_STATEMENT):
        for row in tx.all("run_waits.of_runs", run_pks=ordered[start : start + KEYS_PER_STATEMENT]):
            waits.setdefault(row[0], []).append(_decode_run_wait(row))
    return waits


def list_open_subscriptions(tx: Transaction, groups: Iterable[int]) -> list[SubscriptionMessage]:
    """The subscriptions to slots of DAGs of these groups: one for each edge of a run, with its open slots in order."""
    return _group_subscriptions(tx.all("run_waits.open_of_groups", groups=list(groups)))


def list_subscriptions_on_slot(tx: Transaction, dag_id: str, slot: Instant) -> tuple[SubscriptionMessage, ...]:
    """The subscriptions that are updated when the run of a slot is cleared: of queued runs, and of running runs in which a task waits.

    Earlier updates make no difference. Waits that were released or closed are left out.
    """
    return tuple(_group_subscriptions(tx.all("run_waits.open_on_slot", dag_id=dag_id, slot=slot)))


def list_waiting_runs(tx: Transaction, slots: Sequence[tuple[str, Instant]], most: int) -> list[list[tuple[str, str]]]:
    """For each slot of a DAG (DAG id, slot): (DAG id, run id) of the queued runs that wait for it, and of the running ones in which a task does.

    In their order, at most `most` of each slot.
    """
    waiting: list[list[tuple[str, str]]] = [[] for _ in slots]
    rows = (
        tx.all(
            "run_waits.waiting_runs",
            dag_ids=[dag_id for dag_id, _ in slots],
            slots=[slot for _, slot in slots],
            most=most,
        )
        if slots
        else []
    )
    for place, dag_id, run_id in rows:
        waiting[place].append((dag_id, run_id))
    return waiting


def list_downstream_runs(tx: Transaction, dag_id: str, slots: Iterable[Instant]) -> list[DownstreamRun]:
    """Running and ended runs of other DAGs that waited for these slots, by DAG and run, the whole run before its tasks."""
    return [DownstreamRun(*row) for row in tx.all("run_waits.downstream_runs", dag_id=dag_id, slots=list(slots))]


def _decode_run_wait(row: Row) -> RunWait:
    wait = RunWait(*row)
    wait.state = WaitState(wait.state)
    return wait


def _group_subscriptions(rows: Iterable[Row]) -> list[SubscriptionMessage]:
    subscriptions = []
    for (down_run, edge_no, up_dag), same in groupby(rows, key=lambda row: (row[0], row[1], row[2])):
        waits = list(same)
        down_group, task_id, keeps = waits[0][3:6]
        subscriptions.append(
            SubscriptionMessage(up_dag, tuple(row[6] for row in waits), down_run, down_group, edge_no, task_id, keeps)
        )
    return subscriptions
