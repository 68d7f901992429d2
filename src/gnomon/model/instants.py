"""Instants inside Gnomon are integers: microseconds since 1970-01-01T00:00:00Z.

Only this module converts them to and from aware datetimes.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

Instant = int
"""Microseconds since the Unix epoch, UTC."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
SECOND = 1_000_000
"""Instant units in one second."""


def to_instant(moment: datetime) -> Instant:
    """The instant of an aware datetime; raises ValueError when it has no time zone."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; write one, for example tzinfo=UTC")
    # datetime's own subtraction: that of pendulum.DateTime returns a type that cannot be divided by a timedelta.
    return datetime.__sub__(moment, _EPOCH) // _MICROSECOND


def to_datetime(instant: Instant) -> datetime:
    """The instant as a UTC datetime of the standard library."""
    return _EPOCH + timedelta(microseconds=instant)


def iso(instant: Instant | None) -> str | None:
    """ISO 8601 in UTC with microseconds, as every listing prints it; None for None."""
    if instant is None:
        return None
    return to_datetime(instant).isoformat(timespec="microseconds")
