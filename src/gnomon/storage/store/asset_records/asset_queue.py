"""The events that each consumer DAG has not consumed yet, and the runs that consume them.

Every writer of events inserts rows into the queue of a DAG; only the owner of the DAG deletes them, in the transaction that
creates the run, or because a user asked it to. So each consumer consumes each event once, and an event that arrives while a run is created stays for the
next run.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from gnomon.model.assets import AssetCondition, AssetLeaf, QueuedAssetEvent, decode_leaf, encode_leaf
from gnomon.model.instants import Instant, iso
from gnomon.model.records import EventRecord, QueueDiscard, RunRecord
from gnomon.model.sentences import say
from gnomon.model.states import RUN_STATE_CODES, DagRunState, DagRunType
from gnomon.rules.assets.conditions import holds, iter_leaves
from gnomon.storage.store.dag_records import event_log, newest_runs
from gnomon.storage.store.errors import RowsMissing
from gnomon.storage.store.transaction import Transaction

MAX_CONSUMED_EVENTS = 5000
"""Events that one run consumes at most, so that a long queue does not make a transaction that outlasts the lease of its owner."""
KEYS_PER_STATEMENT = 2000
"""Pairs of DAG and leaf that one statement looks up."""


def find_satisfied_leaves(
    tx: Transaction, conditions: Iterable[tuple[int, AssetCondition]]
) -> dict[int, set[AssetLeaf]]:
    """The leaves of each DAG's condition, given as (dag_pk, condition), that have an event in its queue."""
    leaves = {(dag_pk, encode_leaf(leaf)): leaf for dag_pk, condition in conditions for leaf in iter_leaves(condition)}
    keys, satisfied = sorted(leaves), defaultdict(set)
    for start in range(0, len(keys), KEYS_PER_STATEMENT):
        part = json.dumps(keys[start : start + KEYS_PER_STATEMENT])
        for dag_pk, leaf in tx.all("asset_queue.satisfied", keys=part):
            satisfied[dag_pk].add(leaves[dag_pk, leaf])
    return dict(satisfied)


def list_queue(tx: Transaction, dag_pk: int) -> list[QueuedAssetEvent]:
    """The events in the queue of a DAG, oldest first within each leaf; an event that satisfies two leaves is listed twice."""
    return [
        QueuedAssetEvent(event_pk=event_pk, at=at, leaf=decode_leaf(leaf), partition_key=partition_key)
        for leaf, event_pk, at, partition_key in tx.all("asset_queue.of_dag", dag_pk=dag_pk)
    ]


def count_queue(tx: Transaction, dag_pk: int) -> dict[AssetLeaf, tuple[int, Instant]]:
    """The number of events in the queue of a DAG and the time of the oldest, by leaf."""
    return {
        decode_leaf(leaf): (int(count), at) for leaf, count, at in tx.all("asset_queue.counts_of_dag", dag_pk=dag_pk)
    }


@dataclass(frozen=True, slots=True)
class QueuedAsset:
    """An asset with events in the queue of a DAG."""

    dag_pk: int
    dag_id: str
    asset_pk: int
    oldest_at: Instant


def list_queued_assets(
    tx: Transaction, *, dag_pk: int | None = None, asset_pk: int | None = None, before: Instant | None = None
) -> list[QueuedAsset]:
    """The assets with events in the queues of DAGs, by DAG: of one DAG, of one asset, of events before an instant; None for any."""
    return [
        QueuedAsset(*row)
        for row in tx.all("asset_queue.of_dag_and_asset", dag_pk=dag_pk, asset_pk=asset_pk, before=before)
    ]


def discard_queued_events(tx: Transaction, discards: Iterable[QueueDiscard]) -> None:
    """Delete events from queues, in a transaction of the owner; those that are not there are no error."""
    for discard in discards:
        tx.send("asset_queue.discard", dag_pk=discard.dag_pk, asset_pk=discard.asset_pk, before=discard.before)


def create_asset_run(
    tx: Transaction, dag_pk: int, condition: AssetCondition, version_pk: int, now: Instant, new_id: Callable[[], str]
) -> tuple[RunRecord, int] | None:
    """Create one queued run that consumes the events in the queue of the DAG; returns it and the number of events.

    None: there is no run to create, because the DAG is paused, inactive or in error, because `version_pk` is no longer its version, or
    because its condition does not hold for the events in the store. Of more than MAX_CONSUMED_EVENTS events the run consumes the
    oldest of each leaf; the others stay for the next run, and so do events of leaves that the condition no longer has. Events of partitions are
    dropped from the queue. Called in a transaction of the owner. The run has no logical date and no data interval, as in Airflow 3. `new_id` makes the run id unique.
    """
    locked = tx.one("asset_queue.lock_consumer", dag_pk=dag_pk)
    if locked is None or locked[1] != version_pk:
        return None
    group_no = locked[0]
    consumed = _list_oldest(tx, dag_pk, condition)
    while dropped := [event for event in consumed if event.partition_key is not None]:
        remove_from_queue(tx, dag_pk, dropped)
        consumed = _list_oldest(tx, dag_pk, condition)
    if not holds(condition, {event.leaf for event in consumed}):
        return None
    run_after = min(now, max(event.at for event in consumed))
    run_id = DagRunType.ASSET_TRIGGERED.generate_run_id(f"{iso(run_after)}_{new_id()[:8]}")
    run = RunRecord(
        0,
        dag_pk,
        run_id,
        DagRunType.ASSET_TRIGGERED,
        DagRunState.QUEUED,
        run_after,
        None,
        None,
        None,
        version_pk,
        {},
        now,
    )
    run.run_pk = insert_asset_run(tx, run, group_no)
    consume_events(tx, run.run_pk, dag_pk, consumed)
    event_log.log_event(tx, EventRecord(now, "run_created", dag_pk=dag_pk, run_pk=run.run_pk, body=run_id))
    return run, len(consumed)


def _list_oldest(tx: Transaction, dag_pk: int, condition: AssetCondition) -> list[QueuedAssetEvent]:
    """The oldest events of each leaf of the condition, at most MAX_CONSUMED_EVENTS together but at least one of each leaf that has one."""
    leaves = list(iter_leaves(condition))
    limit = max(1, MAX_CONSUMED_EVENTS // max(1, len(leaves)))
    return [
        QueuedAssetEvent(event_pk=event_pk, at=at, leaf=leaf, partition_key=partition_key)
        for leaf in leaves
        for event_pk, at, partition_key in tx.all(
            "asset_queue.of_leaf", dag_pk=dag_pk, leaf=encode_leaf(leaf), limit=limit
        )
    ]


def insert_asset_run(tx: Transaction, run: RunRecord, group_no: int) -> int:
    """Insert a queued run without a slot, and count it; returns its key. Raises RowsMissing when its run id is taken."""
    row = tx.one(
        "dag_runs.add",
        dag_pk=run.dag_pk,
        group_no=group_no,
        run_id=run.run_id,
        slot_key=None,
        run_type=run.run_type.value,
        logical_at=None,
        interval_start=None,
        interval_end=None,
        run_after=run.run_after,
        version_pk=run.version_pk,
        conf="{}",
        queued_at=run.queued_at,
        stands_for=None,
        partition_key=run.partition_key,
        partition_date=run.partition_date,
    )
    if row is None:
        raise RowsMissing(say("run_id_is_taken", name=run.run_id))
    tx.send_many("commit.tallies", [(run.dag_pk, RUN_STATE_CODES[DagRunState.QUEUED], 1)])
    newest_runs.record_created(tx, run.dag_pk, [(run.run_after, int(row[0]))])
    return int(row[0])


def consume_events(tx: Transaction, run_pk: int, dag_pk: int, events: Sequence[QueuedAssetEvent]) -> None:
    """Record that the run consumed these events, and delete them from the queue of its DAG."""
    tx.send_many(
        "asset_queue.consume", [(run_pk, event_pk) for event_pk in sorted({event.event_pk for event in events})]
    )
    remove_from_queue(tx, dag_pk, events)


def remove_from_queue(tx: Transaction, dag_pk: int, events: Sequence[QueuedAssetEvent]) -> None:
    """Delete these events from the queue of a DAG. Raises RowsMissing when one is not there."""

    def check(changed: int) -> None:
        if changed != len(events):
            raise RowsMissing(
                say("events_were_consumed", number=len(events) - changed, total=len(events), text=str(dag_pk))
            )

    tx.send_many("asset_queue.remove", [(dag_pk, encode_leaf(event.leaf), event.event_pk) for event in events], check)
