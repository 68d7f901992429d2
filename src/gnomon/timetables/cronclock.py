"""The instants at which an expression runs in a zone: its labels, put on the line of time by the clock-change rule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from functools import lru_cache

from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables.clockchange import FIRST_S, LAST_S, Piece, clock_of
from gnomon.timetables.cronfields import parse_cron
from gnomon.timetables.cronlabels import CronLabels

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class CronClock:
    """The instants, in whole seconds since the epoch, of one expression in one zone."""

    def __init__(self, expression: str, zone: tzinfo) -> None:
        self.fields = parse_cron(expression)
        self._labels = CronLabels(self.fields)
        self._clock = clock_of(zone)
        self._both = self.fields.every_hour

    @property
    def never(self) -> bool:
        """Whether no date satisfies the expression."""
        return self._labels.days.never

    def on_or_after(self, instant: int) -> int | None:
        """The first instant of the schedule that is not before `instant`; None when there is none before year 9999."""
        labels = self._labels
        while instant <= LAST_S and not self.never:
            piece = self._clock.at(instant)
            best: int | None = None
            if self._both or not piece.repeated:
                label = labels.on_or_after(instant + piece.offset)
                if label is not None and label - piece.offset < piece.end:
                    best = label - piece.offset
            if piece.moved is not None:
                label = labels.on_or_after(instant + piece.moved)
                if label is not None and label - piece.moved < min(piece.end, LAST_S if best is None else best):
                    best = label - piece.moved
            if best is not None:
                return best
            instant = piece.end
        return None

    def on_or_before(self, instant: int) -> int | None:
        """The last instant of the schedule that is not after `instant`; None when there is none after year 1."""
        labels = self._labels
        while instant >= FIRST_S and not self.never:
            piece = self._clock.at(instant)
            best: int | None = None
            if self._both or not piece.repeated:
                label = labels.on_or_before(instant + piece.offset)
                if label is not None and label - piece.offset >= piece.start:
                    best = label - piece.offset
            if piece.moved is not None:
                label = labels.on_or_before(instant + piece.moved)
                if label is not None and label - piece.moved >= max(piece.start, FIRST_S if best is None else best):
                    best = label - piece.moved
            if best is not None:
                return best
            instant = piece.start - 1
        return None

    def between(self, start: int, end: int) -> Iterator[datetime]:
        """The instants from `start` (inclusive) to `end` (exclusive), in order."""
        while start < end and not self.never:
            piece = self._clock.at(start)
            stop = min(end, piece.end)
            if piece.moved is None and (self._both or not piece.repeated):
                yield from self._stretch(piece, start, stop)
            else:
                yield from self._step_through(start, stop)
            start = stop

    def _stretch(self, piece: Piece, start: int, stop: int) -> Iterator[datetime]:
        """The instants of a stretch in which every label is one instant: day by day, all of a day at once."""
        days = self._labels.days
        first, last = start + piece.offset, stop + piece.offset
        day = days.on_or_after(first // 86400)
        times = [
            timedelta(0, minute * 60 + second) for minute in self._labels.minutes for second in self._labels.seconds
        ]
        low, high = timedelta(0, first), timedelta(0, last)
        base = _EPOCH - timedelta(0, piece.offset)
        while day is not None and day * 86400 < last:
            midnight = timedelta(day)
            if midnight >= low and midnight + timedelta(1) <= high:
                begin = base + midnight
                for time in times:
                    yield begin + time
            else:
                yield from (base + midnight + time for time in times if low <= midnight + time < high)
            day = days.on_or_after(day + 1)

    def _step_through(self, start: int, stop: int) -> Iterator[datetime]:
        """The instants of a stretch one after the other."""
        instant = self.on_or_after(start)
        while instant is not None and instant < stop:
            yield _EPOCH + timedelta(0, instant)
            instant = self.on_or_after(instant + 1)


@lru_cache(maxsize=4096)
def cron_clock(expression: str, zone: tzinfo) -> CronClock:
    """The one CronClock of an expression in a zone; AirflowTimetableInvalid when the expression is none."""
    return CronClock(expression, zone)


def require_sense(expression: str, zone: tzinfo) -> None:
    """Raises AirflowTimetableInvalid when the expression is malformed, or selects no day that exists."""
    clock = cron_clock(expression, zone)
    if clock.never:
        raise AirflowTimetableInvalid(
            f"cron expression {expression!r} can never fire: no month among its months has such a day of month; "
            "change the day or month field ('L' is the last day of every month)"
        )
