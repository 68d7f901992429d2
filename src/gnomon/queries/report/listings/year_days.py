"""The days of a year in a zone, as instants: they are not all 24 hours long."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta, tzinfo

from gnomon.model.instants import Instant, to_instant

_EPOCH = date(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class YearDays:
    """The days of one year; `starts` has the first instant of each, and that of the next year."""

    year: int
    zone: tzinfo
    starts: list[Instant] = field(init=False)

    def __post_init__(self) -> None:
        days = (date(self.year + 1, 1, 1) - date(self.year, 1, 1)).days
        first = datetime(self.year, 1, 1, tzinfo=self.zone)
        object.__setattr__(self, "starts", [to_instant(first + timedelta(days=number)) for number in range(days + 1)])

    @property
    def start(self) -> Instant:
        """The first instant of the year."""
        return self.starts[0]

    @property
    def end(self) -> Instant:
        """The first instant of the next year."""
        return self.starts[-1]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def number_of(self, at: Instant) -> int | None:
        """The number of the day, from 0 on, in which the instant lies; None outside the year."""
        return bisect_right(self.starts, at) - 1 if self.start <= at < self.end else None

    def number_of_day(self, since_epoch: int) -> int:
        """The number of the day that is so many days after 1970-01-01."""
        return since_epoch - (date(self.year, 1, 1) - _EPOCH).days

    def day(self, number: int) -> date:
        """The date of a day."""
        return date(self.year, 1, 1) + timedelta(days=number)

    def group(self, instants: Iterable[Instant]) -> dict[int, tuple[int, Instant]]:
        """By number of the day: how many of the instants, given in ascending order, lie in it, and the first; those outside the year are left out."""
        slots_by_day: dict[int, tuple[int, Instant]] = {}
        number, until = -1, self.start
        for at in instants:
            while at >= until:
                number += 1
                if number >= len(self):
                    return slots_by_day
                until = self.starts[number + 1]
            if number >= 0:
                count, first = slots_by_day.get(number, (0, at))
                slots_by_day[number] = count + 1, first
        return slots_by_day

    def numbers_between(self, first: Instant, until: Instant) -> range:
        """The numbers of the days that the span touches."""
        if until <= self.start or first >= self.end or until <= first:
            return range(0)
        return range(max(0, bisect_right(self.starts, first) - 1), min(len(self), bisect_right(self.starts, until - 1)))
