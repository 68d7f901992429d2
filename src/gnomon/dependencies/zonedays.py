"""Wall-clock time of one zone in whole numbers: labels, natural days, and the way back to instants.

A label is a wall-clock time in microseconds since 1970, read as if it were UTC; a day is a number of days since then.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo

from gnomon.timetables.clockchange import clock_of, instant_of

US = 1_000_000
HOUR_US = 3600 * US
DAY_S = 86400
DAY_US = DAY_S * US
MOST_DAYS = 4096
"""So many days are remembered; then all are forgotten and found again."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ZoneDays:
    """The natural days of a zone: [00:00, next 00:00) of its clock."""

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone
        self._clock = clock_of(zone)
        self._offsets: dict[int, int | None] = {}
        self._latest = self._clock.at(0)
        """The piece of time that was asked about last."""

    def label(self, instant: datetime) -> int:
        """What the zone's clock shows at a UTC instant."""
        since = instant - _EPOCH
        seconds = since.days * DAY_S + since.seconds
        piece = self._latest
        if not piece.start <= seconds < piece.end:
            piece = self._latest = self._clock.at(seconds)
        return (seconds + piece.offset) * US + since.microseconds

    def instant(self, label: int) -> datetime:
        """When the clock shows `label`: moved by the gap if it never does, the second time if it does twice."""
        offset = self.offset(label // DAY_US)
        if offset is not None:
            return _EPOCH + timedelta(0, 0, label - offset)
        return instant_of(self.wall(label), self.zone)

    def window(self, start: int, end: int) -> tuple[datetime, datetime]:
        """The instants of two labels."""
        offset = self.offset(start // DAY_US)
        if offset is None or end // DAY_US != start // DAY_US:
            return self.instant(start), self.instant(end)
        return _EPOCH + timedelta(0, 0, start - offset), _EPOCH + timedelta(0, 0, end - offset)

    def wall(self, label: int) -> datetime:
        """The label as a naive datetime."""
        return (_EPOCH + timedelta(0, 0, label)).replace(tzinfo=None)

    def span(self, day: int) -> tuple[datetime, datetime]:
        """The instants from midnight to midnight."""
        return self.instant(day * DAY_US), self.instant((day + 1) * DAY_US)

    def offset(self, day: int) -> int | None:
        """What the clock is ahead of UTC all through a day, in microseconds; None for a day on which that changes."""
        try:
            return self._offsets[day]
        except KeyError:
            if len(self._offsets) >= MOST_DAYS:
                self._offsets.clear()
            found = self._offsets[day] = self._found(day)
            return found

    def _found(self, day: int) -> int | None:
        offset = self._clock.at(day * DAY_S).offset
        start = day * DAY_S - offset
        piece = self._clock.at(start)
        plain = piece.offset == offset and piece.moved is None and not piece.repeated
        return offset * US if plain and self._even(start, start + DAY_S, offset) else None

    def _even(self, start: int, end: int, offset: int) -> bool:
        """Whether one rule holds from `start` to `end`. (Pieces end where blocks of years do, without a change.)"""
        while start < end:
            piece = self._clock.at(start)
            if piece.offset != offset or piece.moved is not None or piece.repeated:
                return False
            start = piece.end
        return True
