"""What the mapper of one leaf says about partition keys: asked directly, or read from recorded answers. Pure.

A built-in mapper is asked where the answer is needed. A mapper with a class of an author is asked in a process that runs author code
(`timetable_host/partition_lookup.py`); its answers are data, which `RecordedLeafMapper` gives to the same rules.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

import msgspec

from gnomon.model.assets import AssetLeaf, PartitionRule, QueuedAssetEvent
from gnomon.model.ids import find_partition_key_fault
from gnomon.model.instants import Instant, to_instant
from gnomon.model.sentences import render, say
from gnomon.rules.partitions.compound_mappers import RollupMapper
from gnomon.rules.partitions.key_mappers import IdentityMapper, PartitionMapper, list_mapped_keys
from gnomon.rules.partitions.part_codec import decode_part, list_author_classes


class ConsumedPair(NamedTuple):
    """A run of the consumer with that key has consumed the event."""

    event_pk: int
    key: str


class MappedKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The keys of the consumer's runs to which an upstream key belongs."""

    key: str
    keys: tuple[str, ...] = ()
    refusal: str | None = None
    """Why events with this key make no run: the rest of a sentence that begins with the event."""
    error: str | None = None
    """Why author code gave no answer: events with this key wait."""


class MeasuredKey(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the leaf has and lacks for one key of the consumer's runs."""

    key: str
    arrived: tuple[str, ...]
    """The upstream keys for which this was computed, sorted."""
    missing: tuple[str, ...] = ()
    """For a roll-up: the keys of the window that have not arrived, sorted."""
    expected: int | None = None
    """For a roll-up: the number of keys of the window."""
    satisfied: bool = False
    fault: str | None = None
    """Why it is not satisfied and never will be, or why author code gave no answer."""


class LeafAnswers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The recorded answers of the mapper of one leaf."""

    leaf: AssetLeaf
    mapped: tuple[MappedKey, ...] = ()
    measured: tuple[MeasuredKey, ...] = ()
    dates: dict[str, Instant | None] = {}
    """The partition date by key of the consumer's runs."""
    carries_date: bool = False


class PartitionAnswers(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The recorded answers of the mappers of a consumer, for its queue as it was when they were asked."""

    leaves: tuple[LeafAnswers, ...] = ()
    errors: tuple[str, ...] = ()
    """What author code raised or returned wrongly, each once; sentences for the author."""
    changes_queue: bool = False
    """A run can be created, or an event leaves the queue without one."""


class PartitionQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """What the queue of a consumer asks its mappers."""

    queue: tuple[QueuedAssetEvent, ...]
    consumed: tuple[ConsumedPair, ...]
    """The pairs of its events with runs that exist."""
    max_keys: int


class LeafMapper(Protocol):
    """The mapper of one leaf, as the rules of partitions need it."""

    @property
    def carries_date(self) -> bool:
        """Whether a run takes over the partition date of the runs that made its events."""

    def map_key(self, key: str) -> MappedKey | None:
        """The keys of an upstream key; None while they are not known."""

    def measure(self, key: str, arrived: Collection[str]) -> MeasuredKey:
        """What the leaf lacks for a key of the consumer's runs, when these upstream keys have arrived."""

    def find_date(self, key: str) -> Instant | None:
        """The start of the period that the key names; None when it names none, or cannot be read."""


class DirectLeafMapper:
    """Asks the mapper itself. What it refuses is in the answer; no method raises an Exception."""

    def __init__(self, mapper: PartitionMapper, max_keys: int) -> None:
        """`max_keys`: most keys of one upstream key, where the mapper has no limit of its own."""
        self._mapper = mapper
        self._max_keys = max_keys
        self.carries_date = isinstance(mapper, IdentityMapper)

    def map_key(self, key: str) -> MappedKey:
        try:
            keys = self.list_keys(key)
            fault = next(filter(None, map(find_partition_key_fault, keys)), None)  # formats are the author's
            if fault is not None:
                raise ValueError(fault)
        except Exception as error:
            return MappedKey(key=key, refusal=self.describe_refusal(key, error))
        limit = self.limit
        if len(keys) > limit:
            source = (
                "max_downstream_keys"
                if self._mapper.max_downstream_keys
                else "[scheduler] partition_mapper_max_downstream_keys"
            )
            told = say("key_has_many_partitions", key=key, option=source, number=limit)
            return MappedKey(key=key, refusal=render(told))
        return MappedKey(key=key, keys=tuple(keys))

    @property
    def limit(self) -> int:
        """Most keys of one upstream key."""
        return self._mapper.max_downstream_keys or self._max_keys

    def list_keys(self, key: str) -> list[str]:
        """The keys of an upstream key, one more than the limit at most. Raises what the mapper raises."""
        return list_mapped_keys(self._mapper, key, self.limit + 1)

    def describe_refusal(self, key: str, error: BaseException) -> str:
        """The `refusal` for an exception of the mapper."""
        mapper = type(self._mapper).__name__
        return render(say("mapper_does_not_map", key=key, mapper=mapper, error=str(error)))

    def measure(self, key: str, arrived: Collection[str]) -> MeasuredKey:
        try:
            return self.compute_measure(key, arrived)
        except Exception as error:
            window = getattr(self._mapper, "window", self._mapper)
            fault = render(say("window_has_no_keys", name=type(window).__name__, error=str(error)))
            return MeasuredKey(key=key, arrived=tuple(sorted(arrived)), fault=fault)

    def compute_measure(self, key: str, arrived: Collection[str]) -> MeasuredKey:
        """As `measure`. Raises what the mapper, the window and the wait policy raise."""
        mapper, arrived_keys = self._mapper, tuple(sorted(arrived))
        if not isinstance(mapper, RollupMapper):
            return MeasuredKey(key=key, arrived=arrived_keys, satisfied=bool(arrived))
        listed: object = mapper.to_upstream(key)
        if isinstance(listed, str) or not isinstance(listed, Iterable):
            raise TypeError(
                f"{type(mapper).__name__}.to_upstream({key!r}) must return a set of upstream keys, but returned {type(listed).__name__}"
            )
        expected: frozenset[str] = frozenset(listed)
        answer = mapper.wait_policy.is_satisfied_by_keys(matched=set(arrived), expected=expected)
        return MeasuredKey(
            key=key,
            arrived=arrived_keys,
            missing=tuple(sorted(expected.difference(arrived))),
            expected=len(expected),
            satisfied=answer.satisfied and bool(arrived),
            fault=answer.unreachable_reason,
        )

    def find_date(self, key: str) -> Instant | None:
        try:
            return self.compute_date(key)
        except Exception:
            return None

    def compute_date(self, key: str) -> Instant | None:
        """As `find_date`. Raises what the mapper raises."""
        date = self._mapper.to_partition_date(key)
        return None if date is None else to_instant(date)


class RecordedLeafMapper:
    """Reads recorded answers. A key that was not asked is not known: its events and runs wait for the next answers."""

    def __init__(self, answers: LeafAnswers) -> None:
        self._mapped = {mapped_key.key: mapped_key for mapped_key in answers.mapped}
        self._measured = {measured_key.key: measured_key for measured_key in answers.measured}
        self._dates = answers.dates
        self.carries_date = answers.carries_date

    def map_key(self, key: str) -> MappedKey | None:
        return self._mapped.get(key)

    def measure(self, key: str, arrived: Collection[str]) -> MeasuredKey:
        arrived_keys = tuple(sorted(arrived))
        measured = self._measured.get(key)
        return (
            measured
            if measured is not None and measured.arrived == arrived_keys
            else MeasuredKey(key=key, arrived=arrived_keys)
        )

    def find_date(self, key: str) -> Instant | None:
        return self._dates.get(key)


def list_rule_classes(rules: Iterable[PartitionRule]) -> list[str]:
    """The paths of the classes of authors in these rules, each once; empty when only built-in classes map."""
    return list(dict.fromkeys(path for rule in rules for path in list_author_classes(rule.mapper)))


def build_leaf_mappers(
    rules: Iterable[PartitionRule], max_keys: int, answers: PartitionAnswers | None = None
) -> Mapping[AssetLeaf, LeafMapper]:
    """The mapper of each leaf. `answers`: those of the rules with a class of an author. Raises UnknownPart without them."""
    if answers is not None:
        answers_by_leaf = {leaf_answers.leaf: leaf_answers for leaf_answers in answers.leaves}
        return {
            rule.leaf: RecordedLeafMapper(answers_by_leaf.get(rule.leaf) or LeafAnswers(leaf=rule.leaf))
            for rule in rules
        }
    return {rule.leaf: DirectLeafMapper(decode_part(rule.mapper), max_keys) for rule in rules}
