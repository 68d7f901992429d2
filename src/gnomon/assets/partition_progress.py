"""Which runs the queued events of a consumer with partitions make, and what pending partitions still lack. Pure.

Every event in the queue has an upstream key. The mapper of its leaf gives the keys of the consumer's runs to which it belongs. A run may
be created when the condition holds for its key: a leaf counts as satisfied when an event has that key, for a roll-up when the wait policy
says that enough keys of the window have arrived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from gnomon.assets.conditions import describe_leaf, holds, iter_leaves
from gnomon.model.assets import AssetCondition, AssetLeaf, PartitionRule, QueuedAssetEvent
from gnomon.partitions import PartitionMapper, RollupMapper, decode_part
from gnomon.partitions.key_mappers import list_mapped_keys

KEYS_SHOWN = 5
"""Keys that a sentence names at most."""


class ConsumedPair(NamedTuple):
    """A run of the consumer with that key has consumed the event."""

    event_pk: int
    key: str


@dataclass(slots=True)
class LeafProgress:
    """What one leaf of the condition has and lacks for one key."""

    arrived: set[str] = field(default_factory=set)
    """The upstream keys of its events."""
    missing: frozenset[str] = frozenset()
    """For a roll-up: the keys of the window that have not arrived."""
    expected: int | None = None
    """For a roll-up: the number of keys of the window."""
    satisfied: bool = False
    fault: str | None = None
    """Why it can never be satisfied."""


@dataclass(slots=True)
class PartitionProgress:
    """One key of the consumer: the events that belong to it, and whether its run may be created."""

    key: str
    leaves: dict[AssetLeaf, LeafProgress]
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
    """Events that belong to no run, with the reason."""


def read_rules(rules: Iterable[PartitionRule]) -> dict[AssetLeaf, PartitionMapper]:
    """The mapper of each leaf. Raises UnknownPart."""
    return {rule.leaf: decode_part(rule.mapper) for rule in rules}


def read_queue(
    condition: AssetCondition, mappers: Mapping[AssetLeaf, PartitionMapper], queue: Iterable[QueuedAssetEvent],
    consumed: Collection[ConsumedPair], max_keys: int,
) -> QueueReading:
    """The partitions to which the events belong. `max_keys`: most keys of one event, where its mapper has no limit of its own."""
    leaves = list(iter_leaves(condition))
    found: dict[str, PartitionProgress] = {}
    reading = QueueReading([], {}, [])
    for event in sorted(queue, key=lambda one: one.event_pk):
        mapper = mappers.get(event.leaf)
        if mapper is None or event.leaf not in leaves:
            reading.dropped.append((event, ""))
            continue
        keys = _map_event(mapper, event, max_keys)
        if isinstance(keys, str):
            reading.dropped.append((event, keys))
            continue
        left = {key for key in keys if ConsumedPair(event.event_pk, key) not in consumed}
        reading.keys_left[event.leaf, event.event_pk] = left
        for key in keys:
            if key in left:
                partition = found.setdefault(key, PartitionProgress(key, {leaf: LeafProgress() for leaf in leaves}))
                partition.events.append(event)
                partition.leaves[event.leaf].arrived.add(event.partition_key or "")
    reading.partitions = list(found.values())
    for partition in reading.partitions:
        for leaf, progress in partition.leaves.items():
            _measure(progress, mappers[leaf], partition.key)
        partition.is_complete = holds(condition, {leaf for leaf, progress in partition.leaves.items() if progress.satisfied})
    return reading


def find_partition_date(partition: PartitionProgress, mappers: Mapping[AssetLeaf, PartitionMapper], carried: Iterable[datetime]) -> datetime | None:
    """The date of the run: the one on which the mappers of its events agree, else the one that the runs of the events agree on.

    `carried`: the dates of the runs that made the events, where a mapper takes them over.
    """
    dates = set()
    for leaf in {event.leaf for event in partition.events}:
        try:
            date = mappers[leaf].to_partition_date(partition.key)
        except Exception:
            return None
        if date is not None:
            dates.add(date)
    if not dates:
        dates = set(carried)
    return dates.pop() if len(dates) == 1 else None


def describe_partition(partition: PartitionProgress) -> str:
    """A sentence on what the partition lacks."""
    parts = []
    for leaf, progress in partition.leaves.items():
        if progress.fault is not None:
            parts.append(f"{describe_leaf(leaf)}: {progress.fault}")
        elif not progress.satisfied and progress.expected is not None:
            missing = sorted(progress.missing)
            more = f" and {len(missing) - KEYS_SHOWN} more" if len(missing) > KEYS_SHOWN else ""
            parts.append(f"{len(missing)} of {progress.expected} keys of {describe_leaf(leaf)}: {', '.join(missing[:KEYS_SHOWN])}{more}")
        elif not progress.satisfied:
            parts.append(f"an event of {describe_leaf(leaf)}")
    return f"partition {partition.key!r} still lacks {'; '.join(parts)}"


def _map_event(mapper: PartitionMapper, event: QueuedAssetEvent, max_keys: int) -> list[str] | str:
    """The keys of the event; a sentence why it belongs to no run."""
    what = f"an event of {describe_leaf(event.leaf)}"
    if event.partition_key is None:
        return f"{what} has no partition key, and the DAG is scheduled by partitions"
    try:
        keys = list_mapped_keys(mapper, event.partition_key)
    except Exception as error:
        return f"{what} has the partition key {event.partition_key!r}, which {type(mapper).__name__} does not map: {error}"
    limit = mapper.max_downstream_keys or max_keys
    if len(keys) > limit:
        source = "max_downstream_keys" if mapper.max_downstream_keys else "[scheduler] partition_mapper_max_downstream_keys"
        return f"{what} with the partition key {event.partition_key!r} belongs to {len(keys)} partitions, more than {source}={limit}"
    return keys


def _measure(progress: LeafProgress, mapper: PartitionMapper, key: str) -> None:
    if not isinstance(mapper, RollupMapper):
        progress.satisfied = bool(progress.arrived)
        return
    try:
        expected = mapper.to_upstream(key)
    except Exception as error:
        progress.fault = f"{type(mapper.window).__name__} has no keys for it: {error}"
        return
    answer = mapper.wait_policy.is_satisfied_by_keys(matched=progress.arrived, expected=expected)
    progress.expected, progress.missing = len(expected), expected - progress.arrived
    progress.satisfied, progress.fault = answer.satisfied and bool(progress.arrived), answer.unreachable_reason
