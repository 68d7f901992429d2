"""Runs of consumers with partitions: each consumes the events of one key. An event leaves the queue when the runs of all its keys exist."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from gnomon.model.assets import AssetCondition, AssetLeaf, PartitionRule, QueuedAssetEvent
from gnomon.model.instants import Instant, iso
from gnomon.model.records import EventRecord, RunRecord
from gnomon.model.states import DagRunState, DagRunType
from gnomon.rules.assets.conditions import iter_leaves
from gnomon.rules.assets.leaf_mappers import (
    ConsumedPair,
    LeafMapper,
    PartitionAnswers,
    PartitionQuestion,
    build_leaf_mappers,
)
from gnomon.rules.assets.partition_progress import PartitionProgress, QueueReading, find_partition_date, read_queue
from gnomon.storage.store.asset_records.asset_queue import insert_asset_run, list_queue, remove_from_queue
from gnomon.storage.store.dag_records import event_log
from gnomon.storage.store.transaction import Transaction


def read_partition_question(tx: Transaction, dag_pk: int, max_keys: int) -> PartitionQuestion:
    """The queue of a consumer, and the runs that have consumed its events. `max_keys`: most partitions of one event."""
    queue = list_queue(tx, dag_pk)
    events = sorted({event.event_pk for event in queue})
    consumed = tx.all("partition_runs.consumed", dag_pk=dag_pk, events=events) if queue else []
    return PartitionQuestion(
        queue=tuple(queue), consumed=tuple(ConsumedPair(*row) for row in consumed), max_keys=max_keys
    )


def read_partitions(
    tx: Transaction, dag_pk: int, condition: AssetCondition, mappers: Mapping[AssetLeaf, LeafMapper], max_keys: int
) -> QueueReading:
    """The pending partitions of a consumer, as its queue has them now."""
    question = read_partition_question(tx, dag_pk, max_keys)
    return read_queue(condition, mappers, question.queue, set(question.consumed))


def create_partition_runs(
    tx: Transaction,
    dag_pk: int,
    condition: AssetCondition,
    rules: Sequence[PartitionRule],
    version_pk: int,
    now: Instant,
    new_id: Callable[[], str],
    *,
    room: int,
    max_keys: int,
    answers: PartitionAnswers | None = None,
) -> list[RunRecord]:
    """Create a queued run for each complete partition, oldest events first, at most `room`; returns them.

    Called in a transaction of the owner. No run is created for a DAG that is paused, inactive or in error, or whose version is no
    longer `version_pk`. Events that belong to no run are dropped from the queue and logged (`partition_not_mapped`). `answers`: those of
    mappers with a class of an author; they may be older than the queue, which alone says which events there are and who consumed them.
    """
    locked = tx.one("asset_queue.lock_consumer", dag_pk=dag_pk)
    if locked is None or locked[1] != version_pk:
        return []
    group_no = locked[0]
    mappers = build_leaf_mappers(rules, max_keys, answers)
    reading = read_partitions(tx, dag_pk, condition, mappers, max_keys)
    for _, reason in reading.dropped:
        if reason:
            event_log.log_event(
                tx, EventRecord(now, "partition_not_mapped", dag_pk=dag_pk, body=f"{reason}; the event makes no run")
            )
    created = []
    for partition in [partition for partition in reading.partitions if partition.is_complete][:room]:
        run_after = min(now, max(event.at for event in partition.events))
        run_id = DagRunType.ASSET_TRIGGERED.generate_run_id(f"{iso(run_after)}_{new_id()[-12:]}")
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
            partition_key=partition.key,
            partition_date=_find_date(tx, partition, mappers),
        )
        run.run_pk = insert_asset_run(tx, run, group_no)
        tx.send_many(
            "asset_queue.consume",
            [(run.run_pk, event_pk) for event_pk in sorted({event.event_pk for event in partition.events})],
        )
        for event in partition.events:
            reading.keys_left[event.leaf, event.event_pk].discard(partition.key)
        event_log.log_event(tx, EventRecord(now, "run_created", dag_pk=dag_pk, run_pk=run.run_pk, body=run_id))
        created.append(run)
    remove_from_queue(tx, dag_pk, _list_finished(reading, set(iter_leaves(condition))))
    return created


def _list_finished(reading: QueueReading, leaves: set[AssetLeaf]) -> list[QueuedAssetEvent]:
    """The events that no run will consume any more: dropped ones, and those whose keys all have their runs."""
    finished = [event for event, _ in reading.dropped]
    seen_places = {(event.leaf, event.event_pk) for event in finished}
    for partition in reading.partitions:
        for event in partition.events:
            place = (event.leaf, event.event_pk)
            if place not in seen_places and event.leaf in leaves and not reading.keys_left[place]:
                seen_places.add(place)
                finished.append(event)
    return finished


def _find_date(
    tx: Transaction, partition: PartitionProgress, mappers: Mapping[AssetLeaf, LeafMapper]
) -> Instant | None:
    carrying = sorted({event.event_pk for event in partition.events if mappers[event.leaf].carries_date})
    rows = tx.all("partition_runs.source_dates", events=carrying) if carrying else []
    return find_partition_date(partition, mappers, [row[0] for row in rows])
