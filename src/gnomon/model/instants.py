"""Instants inside Gnomon are integers: microseconds since 1970-01-01T00:00:00Z.

Conversions to and from aware datetimes stand here and nowhere else.
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
    """The instant of an aware datetime; ValueError when it has no zone."""
    if moment.tzinfo is None:
        raise ValueError(f"{moment!r} has no time zone; write one, for example tzinfo=UTC")
    # The plain subtraction: a pendulum moment's own gives a type that cannot be divided by a timedelta.
    return datetime.__sub__(moment, _EPOCH) // _MICROSECOND


def to_datetime(instant: Instant) -> datetime:
    """The standard-library UTC datetime of an instant."""
    return _EPOCH + timedelta(microseconds=instant)


def iso(instant: Instant | None) -> str | None:
    """ISO 8601 in UTC with microseconds, as every listing prints it; None stays None."""
    if instant is None:
        return None
    return to_datetime(instant).isoformat(timespec="microseconds")
