"""Mappers with a window: from many upstream keys to one run, and from one to many."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, ClassVar, Self

from gnomon.rules.partitions.key_mappers import PartitionMapper
from gnomon.rules.partitions.part_codec import builtin_part, decode_part, encode_part, is_builtin
from gnomon.rules.partitions.period_starts import find_starts
from gnomon.rules.partitions.temporal_mappers import (
    StartOfDayMapper,
    StartOfHourMapper,
    StartOfMonthMapper,
    TemporalMapper,
)
from gnomon.rules.partitions.wait_policies import WaitForAll, WaitPolicy
from gnomon.rules.partitions.windows import Window


@builtin_part
class RollupMapper(PartitionMapper):
    """Many upstream keys, one run: `window` lists the keys that a run needs, `wait_policy` says how many of them are enough."""

    is_rollup = True

    def __init__(
        self,
        *,
        upstream_mapper: PartitionMapper,
        window: Window,
        wait_policy: WaitPolicy | None = None,
        max_downstream_keys: int | None = None,
    ) -> None:
        expected, decoded = window.expected_decoded_type, upstream_mapper.expected_decoded_type
        if expected is not decoded:
            raise TypeError(
                f"{type(window).__name__} expects decoded values of type {expected.__name__!r}, but {type(upstream_mapper).__name__} "
                f"decodes to {decoded.__name__!r}. Pair a window and an upstream mapper whose 'expected_decoded_type' match."
            )
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.upstream_mapper = upstream_mapper
        self.window = window
        self.wait_policy = wait_policy if wait_policy is not None else WaitForAll()

    def to_downstream(self, key: str) -> str | Iterable[str]:
        return self.upstream_mapper.to_downstream(key)

    def to_upstream(self, downstream_key: str) -> frozenset[str]:
        """The upstream keys of which the run with that key needs all, or as many as the wait policy says."""
        mapper = self.upstream_mapper
        members = list_members(mapper, self.window, mapper.decode_downstream(downstream_key))
        return frozenset(mapper.encode_upstream(member) for member in members)

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        return self.upstream_mapper.to_partition_date(downstream_key)

    def serialize(self) -> dict[str, Any]:
        return {
            "upstream_mapper": encode_part(self.upstream_mapper),
            "window": encode_part(self.window),
            "wait_policy": encode_part(self.wait_policy),
            **super().serialize(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            upstream_mapper=decode_part(data["upstream_mapper"]),
            window=decode_part(data["window"]),
            wait_policy=decode_part(data["wait_policy"]),
            max_downstream_keys=data.get("max_downstream_keys"),
        )


@builtin_part
class FanOutMapper(PartitionMapper):
    """One upstream key, many runs: one for each member of the window. `downstream_mapper` writes their keys."""

    default_downstream_mapper_by_window_name: ClassVar[dict[str, type[TemporalMapper]]] = {
        "DayWindow": StartOfHourMapper,
        "WeekWindow": StartOfDayMapper,
        "MonthWindow": StartOfDayMapper,
        "QuarterWindow": StartOfMonthMapper,
        "YearWindow": StartOfMonthMapper,
    }

    def __init__(
        self,
        *,
        upstream_mapper: PartitionMapper,
        window: Window,
        downstream_mapper: PartitionMapper | None = None,
        max_downstream_keys: int | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self.upstream_mapper = upstream_mapper
        self.window = window
        self.downstream_mapper = downstream_mapper or self._resolve_default_downstream_mapper(window)

    @classmethod
    def _resolve_default_downstream_mapper(cls, window: Window) -> PartitionMapper:
        name = type(window).__name__
        mapper_class = cls.default_downstream_mapper_by_window_name.get(name)
        if mapper_class is None:
            raise ValueError(
                f"{cls.__name__} has no default downstream_mapper for window type {name}; pass downstream_mapper explicitly."
            )
        return mapper_class()

    def to_downstream(self, key: str) -> list[str]:
        coarse = self.upstream_mapper.to_downstream(key)
        if not isinstance(coarse, str):
            raise TypeError(
                "FanOutMapper.upstream_mapper must produce a single key from to_downstream; "
                f"{type(self.upstream_mapper).__name__} returned several keys for {key!r}; use a mapper that returns one"
            )
        members = list_members(self.upstream_mapper, self.window, self.upstream_mapper.decode_downstream(coarse))
        return list(dict.fromkeys(_format_member(self.downstream_mapper, member) for member in members))

    def to_partition_date(self, downstream_key: str) -> datetime | None:
        return self.downstream_mapper.to_partition_date(downstream_key)

    def serialize(self) -> dict[str, Any]:
        return {
            "upstream_mapper": encode_part(self.upstream_mapper),
            "window": encode_part(self.window),
            "downstream_mapper": encode_part(self.downstream_mapper),
            **super().serialize(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            upstream_mapper=decode_part(data["upstream_mapper"]),
            window=decode_part(data["window"]),
            downstream_mapper=decode_part(data["downstream_mapper"]),
            max_downstream_keys=data.get("max_downstream_keys"),
        )


def list_members(mapper: PartitionMapper, window: Window, decoded: Any) -> list[Any]:
    """The members of a decoded period; for a built-in window of times, the moments that exist in the zone of the mapper."""
    labels = list(window.to_upstream(decoded))
    if window.unit is None or not is_builtin(window) or not isinstance(mapper, TemporalMapper):
        return labels
    members: list[Any] = []
    for label in labels:
        members += find_starts(label, window.unit, mapper.zone) if label.tzinfo is None else [label]
    return members


def _format_member(mapper: PartitionMapper, member: Any) -> str:
    """The key of a member: by `format` of the mapper if it has one, else in ISO form."""
    write = getattr(mapper, "format", None)
    if callable(write):
        return str(write(member))
    return member.isoformat() if isinstance(member, datetime) else str(member)
