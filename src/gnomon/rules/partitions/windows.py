"""Windows: which members a period has. `to_upstream` works on wall-clock times without a zone, as in Airflow.

The built-in windows of hours and days also have a `unit`, by which a roll-up or fan-out in a zone finds the members that exist on
days with 23 or 25 hours (`period_starts.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from enum import Enum
from typing import Any, ClassVar, Self

from gnomon.rules.partitions.part_codec import PartitionPart, builtin_part
from gnomon.rules.partitions.period_starts import PeriodUnit


class Window(PartitionPart):
    """Base class of windows. Subclasses define `to_upstream`; `expected_decoded_type` is the type of its argument and members."""

    class Direction(str, Enum):
        """Whether the members begin with the anchor or end with it."""

        BACKWARD = "backward"
        FORWARD = "forward"

    expected_decoded_type: ClassVar[type] = str
    unit: ClassVar[PeriodUnit | None] = None
    """What its members are starts of; None: its members are taken as they are."""

    def __init__(self, *, direction: Window.Direction | str = Direction.FORWARD) -> None:
        self.direction = self.Direction(direction)

    def to_upstream(self, decoded_downstream: Any) -> Iterable[Any]:
        """The decoded members of a decoded period."""
        raise NotImplementedError(
            f"{type(self).__name__} lacks to_upstream(self, decoded_downstream) -> Iterable; define it"
        )

    def serialize(self) -> dict[str, Any]:
        return {"direction": self.direction.value}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(direction=cls.Direction(data["direction"]))

    def __repr__(self) -> str:
        direction = "" if self.direction is Window.Direction.FORWARD else f"direction={self.direction.value!r}"
        return f"{type(self).__name__}({direction})"

    def _steps(self, anchor: datetime, count: int, step: Callable[[datetime, int], datetime]) -> list[datetime]:
        """`count` steps from the anchor on, or up to it."""
        first = 0 if self.direction is Window.Direction.FORWARD else 1 - count
        return [step(anchor, first + i) for i in range(count)]


class _TimeWindow(Window):
    expected_decoded_type = datetime


@builtin_part
class HourWindow(_TimeWindow):
    """The minutes of an hour."""

    unit = PeriodUnit.MINUTE

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        return self._steps(decoded_downstream, 60, lambda at, i: at + timedelta(minutes=i))


@builtin_part
class DayWindow(_TimeWindow):
    """The hours of a day: 24 by the wall clock; in a zone, those that exist."""

    unit = PeriodUnit.HOUR

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        return self._steps(decoded_downstream, 24, lambda at, i: at + timedelta(hours=i))


@builtin_part
class WeekWindow(_TimeWindow):
    """Seven days."""

    unit = PeriodUnit.DAY

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        return self._steps(decoded_downstream, 7, lambda at, i: at + timedelta(days=i))


@builtin_part
class MonthWindow(_TimeWindow):
    """The days of a month, 28 to 31. Backward: the days after the first of the previous month, up to the anchor."""

    unit = PeriodUnit.DAY

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        _check_first_of_month(decoded_downstream, self)
        if self.direction is Window.Direction.FORWARD:
            days = (shift_months(decoded_downstream, 1) - decoded_downstream).days
        else:
            days = (decoded_downstream - shift_months(decoded_downstream, -1)).days
        return self._steps(decoded_downstream, days, lambda at, i: at + timedelta(days=i))


@builtin_part
class QuarterWindow(_TimeWindow):
    """Three months."""

    unit = PeriodUnit.MONTH

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        _check_first_of_month(decoded_downstream, self)
        return self._steps(decoded_downstream, 3, shift_months)


@builtin_part
class YearWindow(_TimeWindow):
    """Twelve months."""

    unit = PeriodUnit.MONTH

    def to_upstream(self, decoded_downstream: datetime) -> Iterable[datetime]:
        _check_first_of_month(decoded_downstream, self)
        return self._steps(decoded_downstream, 12, shift_months)


@builtin_part
class SegmentWindow(Window):
    """A fixed set of keys, whatever the period."""

    def __init__(self, segments: Iterable[str]) -> None:
        if isinstance(segments, str):
            raise TypeError(
                f"SegmentWindow takes a list of keys, not the text {segments!r}; write SegmentWindow([{segments!r}])"
            )
        super().__init__()
        segment_keys = list(segments)
        for i, segment in enumerate(segment_keys):
            if not isinstance(segment, str):
                raise ValueError(
                    f"SegmentWindow segment keys must be str; got {type(segment).__name__!r} at index {i}: {segment!r}"
                )
            if not segment:
                raise ValueError(f"SegmentWindow segment keys must be non-empty; got an empty string at index {i}.")
        if not segment_keys:
            raise ValueError("SegmentWindow requires at least one segment key; got an empty iterable.")
        self._segments = frozenset(segment_keys)

    def to_upstream(self, decoded_downstream: Any) -> frozenset[str]:
        return self._segments

    def serialize(self) -> dict[str, Any]:
        return {"segments": sorted(self._segments)}

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(data["segments"])

    def __repr__(self) -> str:
        return f"SegmentWindow({sorted(self._segments)})"


def shift_months(first: datetime, months: int) -> datetime:
    """The first of a month so many months later."""
    total = first.month - 1 + months
    return first.replace(year=first.year + total // 12, month=total % 12 + 1)


def _check_first_of_month(at: datetime, window: Window) -> None:
    if at.day != 1:
        raise ValueError(
            f"{type(window).__name__} expects a period start on day 1 of the month, got {at.isoformat()}; "
            "give it a mapper whose decode_downstream returns the first of a month"
        )
