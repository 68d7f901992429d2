"""Mappers to the start of the hour, day, week, month, quarter or year that contains a time."""

from __future__ import annotations

from datetime import datetime, timedelta, tzinfo
from typing import Any, ClassVar, Self

from gnomon.rules.partitions.key_formats import compile_key_format
from gnomon.rules.partitions.key_mappers import PartitionMapper
from gnomon.rules.partitions.part_codec import builtin_part
from gnomon.rules.partitions.period_starts import PeriodUnit, find_starts, localize
from gnomon.rules.timetables.wall_clock.zones import encode_zone, zone_of


class TemporalMapper(PartitionMapper):
    """Base class. Upstream keys are read by `input_format` as times of `timezone`, unless they have an offset of their own.

    Keys of runs are written by `output_format`. Both are formats of `strptime`; the one of quarters has `{quarter}`.
    """

    default_output_format: ClassVar[str]
    expected_decoded_type = datetime

    def __init__(
        self,
        *,
        timezone: str | tzinfo = "UTC",
        input_format: str = "%Y-%m-%dT%H:%M:%S",
        output_format: str | None = None,
        max_downstream_keys: int | None = None,
    ) -> None:
        super().__init__(max_downstream_keys=max_downstream_keys)
        self._timezone = zone_of(timezone)
        self.input_format = input_format
        self.output_format = output_format or self.default_output_format

    @property
    def zone(self) -> tzinfo:
        """The zone of its keys."""
        return self._timezone

    def to_downstream(self, key: str) -> str:
        moment = datetime.strptime(key, self.input_format)  # noqa: DTZ007 - keys have no zone
        moment = localize(moment, self._timezone) if moment.tzinfo is None else moment.astimezone(self._timezone)
        return self.format(self.normalize(moment))

    def normalize(self, dt: datetime) -> datetime:
        """The start of the period that contains the time, by the wall clock."""
        raise NotImplementedError

    def format(self, dt: datetime) -> str:
        """The key of the period that starts then."""
        return dt.strftime(self.output_format)

    def decode_downstream(self, downstream_key: str) -> datetime:
        """The start of the period, without a zone unless the format has one. Raises ValueError."""
        return datetime.strptime(downstream_key, self.output_format)  # noqa: DTZ007 - keys have no zone

    def encode_upstream(self, decoded: datetime) -> str:
        """The upstream key of a time: in the zone of the mapper, and of the same instant if the time is aware."""
        moment = localize(decoded, self._timezone) if decoded.tzinfo is None else decoded.astimezone(self._timezone)
        return moment.strftime(self.input_format)

    def to_partition_date(self, downstream_key: str) -> datetime:
        start = self.normalize(self.decode_downstream(downstream_key))
        if start.tzinfo is not None:
            return start
        unit = PeriodUnit.HOUR if isinstance(self, StartOfHourMapper) else PeriodUnit.DAY
        return next(iter(find_starts(start, unit, self._timezone)), localize(start, self._timezone))

    def serialize(self) -> dict[str, Any]:
        return {
            "timezone": encode_zone(self._timezone),
            "input_format": self.input_format,
            "output_format": self.output_format,
            **super().serialize(),
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            timezone=data.get("timezone", "UTC"),
            input_format=data["input_format"],
            output_format=data["output_format"],
            max_downstream_keys=data.get("max_downstream_keys"),
        )

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, TemporalMapper) and self.serialize() == other.serialize()

    __hash__ = PartitionMapper.__hash__


@builtin_part
class StartOfHourMapper(TemporalMapper):
    """`2024-03-13T10:42:15` to `2024-03-13T10`."""

    default_output_format = "%Y-%m-%dT%H"

    def normalize(self, dt: datetime) -> datetime:
        return dt.replace(minute=0, second=0, microsecond=0)


@builtin_part
class StartOfDayMapper(TemporalMapper):
    """`2024-03-13T10:42:15` to `2024-03-13`."""

    default_output_format = "%Y-%m-%d"

    def normalize(self, dt: datetime) -> datetime:
        return _midnight(dt)


@builtin_part
class StartOfWeekMapper(TemporalMapper):
    """`2024-03-13T10:42:15` to `2024-03-11 (W11)`: the Monday, and the ISO number of the week."""

    default_output_format = "%Y-%m-%d (W%V)"

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._key_pattern = compile_key_format(self.output_format)

    def normalize(self, dt: datetime) -> datetime:
        return _midnight(dt - timedelta(days=dt.weekday()))

    def decode_downstream(self, downstream_key: str) -> datetime:
        match = self._key_pattern.fullmatch(downstream_key)
        if match is None or not {"Y", "m", "d"} <= match.groupdict().keys():
            raise ValueError(_describe_unreadable(self, downstream_key, "%Y, %m and %d"))
        return datetime(int(match["Y"]), int(match["m"]), int(match["d"]))  # noqa: DTZ001 - keys have no zone

    encode_upstream = TemporalMapper.encode_upstream


@builtin_part
class StartOfMonthMapper(TemporalMapper):
    """`2024-03-13T10:42:15` to `2024-03`."""

    default_output_format = "%Y-%m"

    def normalize(self, dt: datetime) -> datetime:
        return _midnight(dt.replace(day=1))


@builtin_part
class StartOfQuarterMapper(TemporalMapper):
    """`2024-03-13T10:42:15` to `2024-Q1`."""

    default_output_format = "%Y-Q{quarter}"

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self._key_pattern = compile_key_format(self.output_format, {"quarter": "[1-4]"})

    def normalize(self, dt: datetime) -> datetime:
        return _midnight(dt.replace(month=(dt.month - 1) // 3 * 3 + 1, day=1))

    def format(self, dt: datetime) -> str:
        return dt.strftime(self.output_format).format(quarter=(dt.month - 1) // 3 + 1)

    def decode_downstream(self, downstream_key: str) -> datetime:
        match = self._key_pattern.fullmatch(downstream_key)
        if match is None or not {"Y", "quarter"} <= match.groupdict().keys():
            raise ValueError(_describe_unreadable(self, downstream_key, "%Y and {quarter}"))
        return datetime(int(match["Y"]), int(match["quarter"]) * 3 - 2, 1)  # noqa: DTZ001 - keys have no zone

    encode_upstream = TemporalMapper.encode_upstream


@builtin_part
class StartOfYearMapper(TemporalMapper):
    """`2024-03-13T10:42:15` to `2024`."""

    default_output_format = "%Y"

    def normalize(self, dt: datetime) -> datetime:
        return _midnight(dt.replace(month=1, day=1))


def _midnight(dt: datetime) -> datetime:
    return dt.replace(hour=0, minute=0, second=0, microsecond=0)


def _describe_unreadable(mapper: TemporalMapper, key: str, needed: str) -> str:
    return (
        f"{type(mapper).__name__}.decode_downstream could not parse {key!r} with output_format {mapper.output_format!r}; "
        f"output_format must include {needed}"
    )
