"""Instants inside Gnomon are integers: microseconds since 1970-01-01T00:00:00Z.

Only this module converts them to and from aware datetimes, and only its functions compute one from a value that an author or a user gave:
every instant lies between EARLIEST and LATEST. A column of both databases holds it, and a datetime shows it in every time zone.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

Instant = int
"""Microseconds since the Unix epoch, UTC."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
"""Instant units in one second."""
EARLIEST: Instant = (datetime(1, 1, 2, tzinfo=UTC) - _EPOCH) // _MICROSECOND
"""The first instant, one day after that of `datetime.min`."""
LATEST: Instant = (datetime(9999, 12, 31, tzinfo=UTC) - _EPOCH) // _MICROSECOND - 1
"""The last instant, one day before that of `datetime.max`. A timer at it never fires in practice."""


def clamp(instant: int) -> Instant:
    """The nearest instant between EARLIEST and LATEST."""
    return EARLIEST if instant < EARLIEST else min(instant, LATEST)


def to_units(seconds: float) -> int:
    """A span in instant units, within the distance of EARLIEST and LATEST. A number that is none (NaN) counts as an endless span."""
    try:
        units = int(seconds * SECOND)
    except (OverflowError, ValueError):  # infinite, or no number
        units = EARLIEST - LATEST if seconds < 0 else LATEST - EARLIEST
    return max(EARLIEST - LATEST, min(units, LATEST - EARLIEST))


def to_wait(seconds: float) -> int:
    """Microseconds until something is due that a monotonic clock says is due in so many seconds: at least one while it is not, or nobody would wait."""
    return max(int(seconds * SECOND), 1) if seconds > 0.0 else 0


def round_up_to_second(instant: Instant) -> Instant:
    """The next whole second, or the instant itself when it is one."""
    return -(-instant // SECOND) * SECOND


def add_seconds(instant: Instant, seconds: float) -> Instant:
    """The instant so many seconds after this one, before it for a negative number; at most LATEST and at least EARLIEST. Never raises."""
    return clamp(instant + to_units(seconds))


def add_span(moment: datetime, span: timedelta) -> datetime:
    """The moment after the span, as `moment + span`; where no datetime has it, that of EARLIEST or LATEST."""
    try:
        return moment + span
    except OverflowError:
        return to_datetime(EARLIEST if span < timedelta(0) else LATEST)


def to_instant(moment: datetime) -> Instant:
    """The instant of an aware datetime, between EARLIEST and LATEST; raises ValueError when it has no time zone."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; write one, for example tzinfo=UTC")
    # datetime's own subtraction: that of pendulum.DateTime returns a type that cannot be divided by a timedelta.
    instant = datetime.__sub__(moment, _EPOCH) // _MICROSECOND
    return instant if EARLIEST <= instant <= LATEST else clamp(instant)


def to_datetime(instant: Instant) -> datetime:
    """The instant as a UTC datetime of the standard library; one that no datetime has, as EARLIEST or LATEST."""
    try:
        return _EPOCH + timedelta(microseconds=instant)
    except OverflowError:
        return _EPOCH + timedelta(microseconds=clamp(instant))


def moment(instant: Instant | None) -> datetime | None:
    """The instant as a datetime; None for None."""
    return None if instant is None else to_datetime(instant)


def iso(instant: Instant | None) -> str | None:
    """ISO 8601 in UTC with microseconds, as every listing prints it; None for None."""
    if instant is None:
        return None
    return to_datetime(instant).isoformat(timespec="microseconds")
