"""Which runs the queued events of a consumer with partitions make, and what pending partitions still lack. Pure.

Every event in the queue has an upstream key. The mapper of its leaf gives the keys of the consumer's runs to which it belongs. A run may
be created when the condition holds for its key: a leaf counts as satisfied when an event has that key, for a roll-up when the wait policy
says that enough keys of the window have arrived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from gnomon.model.assets import AssetCondition, AssetLeaf, QueuedAssetEvent
from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence, render, say
from gnomon.rules.assets.conditions import describe_leaf, holds, iter_leaves
from gnomon.rules.assets.leaf_mappers import ConsumedPair, LeafMapper, MappedKey, MeasuredKey

KEYS_SHOWN = 5
"""Keys that a sentence names at most."""


@dataclass(slots=True)
class PartitionProgress:
    """One key of the consumer: the events that belong to it, and whether its run may be created."""

    key: str
    arrived: dict[AssetLeaf, set[str]]
    """The upstream keys of its events, by leaf."""
    leaves: dict[AssetLeaf, MeasuredKey] = field(default_factory=dict)
    """What each leaf of the condition has and lacks."""
    events: list[QueuedAssetEvent] = field(default_factory=list)
    is_complete: bool = False


@dataclass(slots=True)
class QueueReading:
    """The queue of a consumer, by key."""

    partitions: list[PartitionProgress]
    """In the order of their oldest events."""
    keys_left: dict[tuple[AssetLeaf, int], set[str]]
    """(leaf, event) to the keys whose runs have not consumed it."""
    dropped: list[tuple[QueuedAssetEvent, str]]
    """Events that belong to no run, with the reason; an empty reason is not logged."""
    waiting: list[QueuedAssetEvent]
    """Events whose mapper has no answer yet."""


def read_queue(
    condition: AssetCondition,
    mappers: Mapping[AssetLeaf, LeafMapper],
    queue: Iterable[QueuedAssetEvent],
    consumed: Collection[ConsumedPair],
) -> QueueReading:
    """The partitions to which the events belong. Events whose mapper has no answer are left out: they stay in the queue."""
    leaves = list(iter_leaves(condition))
    partitions: dict[str, PartitionProgress] = {}
    reading = QueueReading([], {}, [], [])
    for event in sorted(queue, key=lambda queued_event: queued_event.event_pk):
        mapper = mappers.get(event.leaf)
        if mapper is None or event.leaf not in leaves:
            reading.dropped.append((event, ""))
            continue
        answer = _map_event(mapper, event)
        if answer is None or answer.error is not None:
            reading.waiting.append(event)
            continue
        if answer.refusal is not None:
            told = say("event_is_refused", names=describe_leaf(event.leaf), reason=answer.refusal)
            reading.dropped.append((event, render(told)))
            continue
        if not answer.keys:
            reading.dropped.append((event, ""))
            continue
        unconsumed = {key for key in answer.keys if ConsumedPair(event.event_pk, key) not in consumed}
        reading.keys_left[event.leaf, event.event_pk] = unconsumed
        for key in answer.keys:
            if key in unconsumed:
                partition = partitions.setdefault(key, PartitionProgress(key, {leaf: set() for leaf in leaves}))
                partition.events.append(event)
                partition.arrived[event.leaf].add(event.partition_key or "")
    reading.partitions = list(partitions.values())
    for partition in reading.partitions:
        partition.leaves = {
            leaf: mappers[leaf].measure(partition.key, arrived) for leaf, arrived in partition.arrived.items()
        }
        partition.is_complete = holds(
            condition, {leaf for leaf, progress in partition.leaves.items() if progress.satisfied}
        )
    return reading


def find_partition_date(
    partition: PartitionProgress, mappers: Mapping[AssetLeaf, LeafMapper], carried: Iterable[Instant]
) -> Instant | None:
    """The date of the run: the one on which the mappers of its events agree, else the one that the runs of the events agree on.

    `carried`: the dates of the runs that made the events, where a mapper takes them over.
    """
    dates_of_mappers = (mappers[leaf].find_date(partition.key) for leaf in {event.leaf for event in partition.events})
    dates = {date for date in dates_of_mappers if date is not None} or set(carried)
    return dates.pop() if len(dates) == 1 else None


def describe_partition(partition: PartitionProgress) -> Sentence:
    """A sentence on what the partition lacks."""
    parts = []
    for leaf, progress in partition.leaves.items():
        if progress.fault is not None:
            parts.append(say("asset_has_fault", name=describe_leaf(leaf), fault=progress.fault))
        elif not progress.satisfied and progress.expected is not None:
            missing = progress.missing
            others = len(missing) - KEYS_SHOWN
            parts.append(
                say(
                    "keys_of_asset",
                    number=len(missing),
                    total=progress.expected,
                    name=describe_leaf(leaf),
                    names=", ".join(missing[:KEYS_SHOWN]),
                    more=say("and_more", count=others) if others > 0 else None,
                )
            )
        elif not progress.satisfied:
            parts.append(say("event_of_asset", name=describe_leaf(leaf)))
    return say("partition_lacks", key=partition.key, clauses=tuple(parts))


def _map_event(mapper: LeafMapper, event: QueuedAssetEvent) -> MappedKey | None:
    if event.partition_key is None:
        return MappedKey(key="", refusal=render(say("event_has_no_partition_key")))
    return mapper.map_key(event.partition_key)
