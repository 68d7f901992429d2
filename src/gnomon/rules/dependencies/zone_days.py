"""Wall-clock time of one zone in whole numbers: labels, natural days, and the conversion to instants.

A label is a wall-clock time in microseconds since 1970, read as if it were UTC; a day is a number of days since 1970-01-01.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, tzinfo

from gnomon.rules.timetables.wall_clock.clock_change import WIDEST_S, ClockPiece, clock_of, instant_of

US = 1_000_000
HOUR_US = 3600 * US
DAY_S = 86400
DAY_US = DAY_S * US
MAX_DAYS = 4096
"""Most days in the cache; then it is emptied."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class ZoneDays:
    """The natural days of a zone: [00:00, next 00:00) of its clock."""

    def __init__(self, zone: tzinfo) -> None:
        self.zone = zone
        self._clock = clock_of(zone)
        self._offsets: dict[int, int | None] = {}
        self._latest = self._clock.at(0)
        """The clock piece of the last call of `label`."""

    def label(self, instant: datetime) -> int:
        """The label that the zone's clock shows at a UTC instant."""
        since = instant - _EPOCH
        seconds = since.days * DAY_S + since.seconds
        piece = self._latest
        if not piece.start <= seconds < piece.end:
            piece = self._latest = self._clock.at(seconds)
        return (seconds + piece.offset) * US + since.microseconds

    def instant(self, label: int) -> datetime:
        """The instant at which a label runs: moved by the gap if the clock skips it, the second if the clock repeats it."""
        offset = self.offset(label // DAY_US)
        if offset is not None:
            return _EPOCH + timedelta(0, 0, label - offset)
        return instant_of(self.wall(label), self.zone)

    def window(self, start: int, end: int) -> tuple[datetime, datetime]:
        """The instants of the labels `start` and `end`."""
        offset = self.offset(start // DAY_US)
        if offset is None or end // DAY_US != start // DAY_US:
            return self.instant(start), self.instant(end)
        return _EPOCH + timedelta(0, 0, start - offset), _EPOCH + timedelta(0, 0, end - offset)

    def wall(self, label: int) -> datetime:
        """The label as a naive datetime."""
        return (_EPOCH + timedelta(0, 0, label)).replace(tzinfo=None)

    def around(self, start: int, end: int) -> tuple[datetime, datetime]:
        """The range of instants in which the clock shows the labels from `start` to before `end`.

        The clock shows these labels nowhere else; near a clock change it may show other labels in the range, too.
        """
        first, last = self.offset(start // DAY_US), self.offset((end - 1) // DAY_US)
        return (
            _EPOCH + timedelta(0, 0, self._first(start) if first is None else start - first),
            _EPOCH + timedelta(0, 0, self._last(end) if last is None else end - last),
        )

    def reach(self, day: int) -> int:
        """The largest change of the clock on a day and around it, in microseconds."""
        offsets = {piece.offset for piece in self._pieces(day * DAY_S - WIDEST_S, (day + 1) * DAY_S + WIDEST_S)}
        return (max(offsets) - min(offsets)) * US

    def offset(self, day: int) -> int | None:
        """The offset of the clock from UTC during a whole day, in microseconds; None if it changes on that day."""
        try:
            return self._offsets[day]
        except KeyError:
            if len(self._offsets) >= MAX_DAYS:
                self._offsets.clear()
            offset = self._offsets[day] = self._compute_offset(day)
            return offset

    def _compute_offset(self, day: int) -> int | None:
        start, end = self._first(day * DAY_US), self._last((day + 1) * DAY_US)
        offset = day * DAY_US - start
        if end - start != DAY_US or offset % US:
            return None
        # A clock piece also ends at the end of a block of ClockChange, without a change of the offset.
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
        """The instant after the last one that shows a label before `label`, in microseconds since 1970."""
        near = label // US
        return max(
            min(piece.end * US, label - piece.offset * US)
            for piece in self._pieces(near - WIDEST_S, near + WIDEST_S)
            if label - piece.offset * US > piece.start * US
        )

    def _pieces(self, start: int, end: int) -> Iterator[ClockPiece]:
        """The clock pieces from `start` to `end`, in seconds since 1970."""
        while start < end:
            piece = self._clock.at(start)
            yield piece
            start = piece.end
