"""Wall-clock time of one zone in whole numbers: labels, natural days, and the way back to instants.

A label is a wall-clock time in microseconds since 1970, read as if it were UTC; a day is a number of days since then.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from gnomon.timetables.wall_clock.clock_change import WIDEST_S, ClockPiece, clock_of, instant_of

US = 1_000_000
HOUR_US = 3600 * US
DAY_S = 86400
DAY_US = DAY_S * US
MAX_DAYS = 4096
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

    def around(self, start: int, end: int) -> tuple[datetime, datetime]:
        """The first instant that shows `start` or later, and the one after the last that shows what is before `end`.

        The clock shows the labels from `start` to before `end` nowhere else; where it changes, it may show others there, too.
        """
        first, last = self.offset(start // DAY_US), self.offset((end - 1) // DAY_US)
        return (
            _EPOCH + timedelta(0, 0, self._first(start) if first is None else start - first),
            _EPOCH + timedelta(0, 0, self._last(end) if last is None else end - last),
        )

    def reach(self, day: int) -> int:
        """By how much the clock changes at most on a day and around it, in microseconds."""
        offsets = {piece.offset for piece in self._pieces(day * DAY_S - WIDEST_S, (day + 1) * DAY_S + WIDEST_S)}
        return (max(offsets) - min(offsets)) * US

    def offset(self, day: int) -> int | None:
        """What the clock is ahead of UTC all through a day, in microseconds; None for a day on which that changes."""
        try:
            return self._offsets[day]
        except KeyError:
            if len(self._offsets) >= MAX_DAYS:
                self._offsets.clear()
            found = self._offsets[day] = self._found(day)
            return found

    def _found(self, day: int) -> int | None:
        start, end = self._first(day * DAY_US), self._last((day + 1) * DAY_US)
        offset = day * DAY_US - start
        if end - start != DAY_US or offset % US:
            return None
        # Pieces end where blocks of years do, without a change.
        pieces = self._pieces(start // US, end // US)
        plain = all(piece.offset * US == offset and piece.moved is None and not piece.repeated for piece in pieces)
        return offset if plain else None

    def _first(self, label: int) -> int:
        """The first instant that shows `label` or later, in microseconds since 1970."""
        near = label // US
        instants = (
            (max(piece.start * US, label - piece.offset * US), piece.end * US)
            for piece in self._pieces(near - WIDEST_S, near + WIDEST_S)
        )
        return next(instant for instant, end in instants if instant < end)

    def _last(self, label: int) -> int:
        """The instant after the last one that shows something before `label`, in microseconds since 1970."""
        near = label // US
        return max(
            min(piece.end * US, label - piece.offset * US)
            for piece in self._pieces(near - WIDEST_S, near + WIDEST_S)
            if label - piece.offset * US > piece.start * US
        )

    def _pieces(self, start: int, end: int) -> Iterator[ClockPiece]:
        """The pieces of time from `start` to `end`, in seconds since 1970."""
        while start < end:
            piece = self._clock.at(start)
            yield piece
            start = piece.end
