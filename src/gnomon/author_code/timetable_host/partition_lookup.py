"""Asks partition mappers, windows and wait policies of authors, in a process that runs author code."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import UTC, datetime
from functools import partial
from typing import Any, TypeVar

from gnomon.author_code.loading.author_class_loader import load_author_class
from gnomon.author_code.processes.author_frames import find_raising_line
from gnomon.model.assets import AssetCondition, AssetLeaf, PartitionRule
from gnomon.model.errors.error_text import describe_error, error_text
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.ids import find_partition_key_fault
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.rules.assets.conditions import describe_leaf, iter_leaves
from gnomon.rules.assets.leaf_mappers import (
    DirectLeafMapper,
    LeafAnswers,
    MappedKey,
    MeasuredKey,
    PartitionAnswers,
    PartitionQuestion,
)
from gnomon.rules.assets.partition_progress import QueueReading, read_queue
from gnomon.rules.partitions.key_mappers import PartitionMapper
from gnomon.rules.partitions.part_codec import decode_part, list_author_classes
from gnomon.rules.planning.partition_keys import PartitionKeyRefused, resolve_partition_date

ERRORS_MAX = 5
"""Errors of one answer; the others would say the same of other keys."""
_PROBE = datetime(2000, 1, 1, tzinfo=UTC)
_Answer = TypeVar("_Answer")


def answer_partitions(
    *, rules: tuple[PartitionRule, ...], condition: AssetCondition, question: PartitionQuestion, dag_file: str | None
) -> PartitionAnswers:
    """What the mappers of a consumer say about its queue, recorded for the process that creates its runs.

    An exception or a wrong result of author code concerns one key: its events wait, and the others are answered. Raises PlanningError
    when a class does not accept what its `serialize` returned.
    """
    mappers = {
        rule.leaf: _RecordingLeafMapper(rule.leaf, _decode(rule, dag_file), question.max_keys, rule) for rule in rules
    }
    consumed = set(question.consumed)
    reading = read_queue(condition, mappers, question.queue, consumed)
    for partition in reading.partitions:
        if partition.is_complete:
            for leaf in {event.leaf for event in partition.events}:
                mappers[leaf].find_date(partition.key)
    errors = list(dict.fromkeys(error for mapper in mappers.values() for error in mapper.errors))
    return PartitionAnswers(
        leaves=tuple(mapper.answers() for mapper in mappers.values()),
        errors=tuple(errors[:ERRORS_MAX]),
        changes_queue=_changes_queue(reading, set(iter_leaves(condition))),
    )


def resolve_author_partition_date(*, dag: DagSpec, key: str, dag_file: str | None) -> Instant | None:
    """As `planning.resolve_partition_date`, for a DAG whose mappers have classes of authors. Raises PlanningError for a key that is refused."""
    try:
        return resolve_partition_date(dag, key, lambda path: load_author_class(path, dag_file))
    except PartitionKeyRefused as error:
        raise PlanningError(error_text(error)) from None


def _changes_queue(reading: QueueReading, leaves: set[AssetLeaf]) -> bool:
    finished = any(not keys_left for (leaf, _), keys_left in reading.keys_left.items() if leaf in leaves)
    return bool(reading.dropped) or finished or any(partition.is_complete for partition in reading.partitions)


def _decode(rule: PartitionRule, file: str | None) -> PartitionMapper:
    try:
        mapper = decode_part(rule.mapper, lambda path: load_author_class(path, file))
    except PlanningError:
        raise
    except Exception as error:
        raise PlanningError(
            f"the partition mapper of {describe_leaf(rule.leaf)} cannot be made from what its serialize returned: "
            f"{describe_error(error)}{_place(error)}; let deserialize take what serialize returns"
        ) from error
    if not isinstance(mapper, PartitionMapper):
        raise PlanningError(
            f"{str(rule.mapper['type']).rpartition('.')[2]}.deserialize returned {type(mapper).__name__}; return a partition mapper"
        )
    return mapper


class _RecordingLeafMapper(DirectLeafMapper):
    """Asks the mapper, and keeps each answer. Author code that raises has no answer for that key."""

    def __init__(self, leaf: AssetLeaf, mapper: PartitionMapper, max_keys: int, rule: PartitionRule) -> None:
        super().__init__(mapper, max_keys)
        self._leaf = leaf
        self._name = (list_author_classes(rule.mapper) or [type(mapper).__name__])[0].rpartition(".")[2]
        self._mapped: dict[str, MappedKey] = {}
        self._measured: dict[str, MeasuredKey] = {}
        self._dates: dict[str, Instant | None] = {}
        self.errors: list[str] = []
        self.carries_date = bool(self._ask("carry_partition_date", "", partial(_carries_date, mapper))[0])

    def answers(self) -> LeafAnswers:
        """All that was asked."""
        return LeafAnswers(
            leaf=self._leaf,
            mapped=tuple(self._mapped.values()),
            measured=tuple(self._measured.values()),
            dates=self._dates,
            carries_date=self.carries_date,
        )

    def map_key(self, key: str) -> MappedKey:
        if key not in self._mapped:
            self._mapped[key] = self._map_key(key)
        return self._mapped[key]

    def _map_key(self, key: str) -> MappedKey:
        try:
            keys = self.list_keys(key)
            fault = next(filter(None, map(find_partition_key_fault, keys)), None)
            if fault is not None:
                raise TypeError(f"to_downstream({key!r}) returned a key that cannot be: {fault}")
            if len(keys) <= self.limit:
                return MappedKey(key=key, keys=tuple(keys))
        except ValueError as error:
            if find_raising_line(error) is None:  # a built-in mapper refuses the key
                return MappedKey(key=key, refusal=self.describe_refusal(key, error))
            return MappedKey(key=key, error=self._record_error("to_downstream", key, error))
        except Exception as error:
            return MappedKey(key=key, error=self._record_error("to_downstream", key, error))
        return super().map_key(key)

    def measure(self, key: str, arrived: Collection[str]) -> MeasuredKey:
        measured, error = self._ask("to_upstream", key, partial(self._compute_measure, key, arrived))
        self._measured[key] = measured or MeasuredKey(key=key, arrived=tuple(sorted(arrived)), fault=error)
        return self._measured[key]

    def _compute_measure(self, key: str, arrived: Collection[str]) -> MeasuredKey:
        measured = self.compute_measure(key, arrived)
        wrong = next((missing_key for missing_key in measured.missing if not isinstance(missing_key, str)), None)
        if wrong is not None:
            raise TypeError(f"it returned the upstream key {wrong!r} ({type(wrong).__name__}); return texts")
        return measured

    def find_date(self, key: str) -> Instant | None:
        date, error = self._ask("to_partition_date", key, partial(self.compute_date, key))
        if error is None:
            self._dates[key] = date
        else:  # the run waits too
            self._measured[key] = MeasuredKey(key=key, arrived=self._measured[key].arrived, fault=error)
        return date

    def _ask(self, method: str, key: str, ask: Callable[[], _Answer]) -> tuple[_Answer | None, str | None]:
        """The answer, or why there is none."""
        try:
            return ask(), None
        except Exception as error:
            return None, self._record_error(method, key, error)

    def _record_error(self, method: str, key: str, error: Exception) -> str:
        """Keeps the sentence, and returns it."""
        problem = f"raised {describe_error(error)}".rstrip(": ")
        remedy = "correct the class; events with this key wait until it answers"
        self.errors.append(f"{self._subject(method, key)} {problem}{_place(error)}; {remedy}")
        return self.errors[-1]

    def _subject(self, method: str, key: str) -> str:
        about = f" for the key {key!r}" if key else ""
        return f"the partition mapper {self._name} of {describe_leaf(self._leaf)} ({method}{about})"


def _carries_date(mapper: PartitionMapper) -> bool:
    """Whether the mapper takes over partition dates. Raises TypeError when it makes other dates of them, which Gnomon does not store."""
    carried: Any = mapper.carry_partition_date(_PROBE)
    if carried is not None and carried != _PROBE:
        raise TypeError(
            f"carry_partition_date returned {carried!r} for {_PROBE!r}; return its argument or None, and compute dates in to_partition_date"
        )
    return carried is not None


def _place(error: BaseException) -> str:
    """` (FILE, line N)` of the author's line that raised; empty when there is none."""
    line = find_raising_line(error)
    return "" if line is None else f" ({line.file}, line {line.line})"
