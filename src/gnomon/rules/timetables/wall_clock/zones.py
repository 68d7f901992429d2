"""Time zones, read only from the tzdata package, so that they are the same on every host."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from importlib import import_module

from gnomon.model.errors.timetable import AirflowTimetableInvalid

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UTC_NAMES = frozenset({"UTC", "Etc/UTC", "+00:00", "utc"})


def zone_of(value: object) -> tzinfo:
    """The zone of a tz database name, a tzinfo of any library, or an offset in seconds.

    Raises AirflowTimetableInvalid if there is no such zone.
    """
    if isinstance(value, bool) or value is None:
        raise AirflowTimetableInvalid(f"{value!r} is not a time zone; give a name such as 'Europe/Berlin' or 'UTC'")
    if isinstance(value, (int, float)):
        return _fixed_zone(int(value))
    if isinstance(value, str):
        return UTC if value in _UTC_NAMES else named_zone(value)
    return _zone_of_tzinfo(value)


def encode_zone(zone: tzinfo) -> str | int:
    """The argument of `zone_of` for this zone: its name, or the seconds of a fixed offset."""
    key = getattr(zone, "key", None)
    if isinstance(key, str):
        return key
    offset = zone.utcoffset(None)
    if offset is None:
        raise AirflowTimetableInvalid(f"{zone!r} has neither a name nor a fixed offset; use a zone by name")
    return int(offset.total_seconds()) if offset else "UTC"


@lru_cache(maxsize=1024)
def named_zone(name: str) -> tzinfo:
    """The zone of that name in the tzdata package. The imports are late, since many processes only need UTC."""
    from importlib import resources
    from zoneinfo import ZoneInfo

    parts = name.split("/")
    if all(part and part[0] not in "._" and part.isascii() for part in parts):
        try:
            with resources.files("tzdata").joinpath("zoneinfo", *parts).open("rb") as source:
                return ZoneInfo.from_file(source, key=name)
        except (
            OSError,
            ValueError,
        ):  # no such file; one of the package that is no zone, such as zone.tab; a name that no file can have
            pass
    raise AirflowTimetableInvalid(
        f"time zone {name!r} is not in the tz database {tzdata_version()}; "
        "check the spelling, zones are written like 'Europe/Berlin' or 'UTC'"
    )


@lru_cache(maxsize=1)
def tzdata_version() -> str:
    """The release of the tz database in the tzdata package, for example 2026a."""
    return str(import_module("tzdata").IANA_VERSION)


def to_utc(moment: datetime) -> datetime:
    """The instant as a standard-library datetime in UTC. Raises ValueError if `moment` has no time zone."""
    if type(moment) is datetime and moment.tzinfo is UTC:
        return moment
    offset = moment.utcoffset()
    if offset is None:
        raise ValueError(f"{moment!r} has no time zone; write one, for example tzinfo=UTC")
    wall = datetime(
        moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second, moment.microsecond, UTC
    )
    return wall - offset


def floor_seconds(moment: datetime) -> int:
    """Whole seconds since the epoch, rounded down. `moment`: a UTC datetime."""
    since = moment - _EPOCH
    return since.days * 86400 + since.seconds


def ceil_seconds(moment: datetime) -> int:
    """Whole seconds since the epoch, rounded up. `moment`: a UTC datetime."""
    since = moment - _EPOCH
    return since.days * 86400 + since.seconds + (since.microseconds > 0)


def from_seconds(seconds: int) -> datetime:
    """The UTC datetime `seconds` after the epoch."""
    return _EPOCH + timedelta(0, seconds)


def _zone_of_tzinfo(value: object) -> tzinfo:
    """The zone of a tzinfo of any library: by its name if it has one, else by its constant offset."""
    if value is UTC:
        return UTC
    name = getattr(value, "key", None) or getattr(value, "name", None) or getattr(value, "zone", None)
    if isinstance(name, str) and name not in _UTC_NAMES and not name.startswith(("+", "-")):
        return named_zone(name)
    if isinstance(value, tzinfo):
        offset = value.utcoffset(None)
        if offset is not None:
            return _fixed_zone(int(offset.total_seconds()))
    raise AirflowTimetableInvalid(
        f"{value!r} is not a time zone; give a name such as 'Europe/Berlin' or a fixed offset"
    )


def _fixed_zone(offset_s: int) -> tzinfo:
    return timezone(timedelta(seconds=offset_s)) if offset_s else UTC


PROBE_S = 2 * 86400
"""Seconds between two samples of the offset: less than the shortest time between two changes (7 days in all zones)."""
FIRST_S = -62135596800 + 2 * 86400
LAST_S = 253402300799 - 2 * 86400
"""The range of instants, in seconds since the epoch, that a datetime can represent in every zone."""


def iterate_clock_changes(zone: tzinfo, start: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(instant, offset before, offset after) of each clock change after `start` and up to `end`."""
    before = compute_offset(zone, start)
    for probe in _find_jumps(zone, start, end):
        after = compute_offset(zone, probe)
        yield _bisect(zone, probe - PROBE_S, probe, before), before, after
        before = after


def _find_jumps(zone: tzinfo, start: int, end: int) -> Iterator[int]:
    """The samples after `start` that have another offset than the one before them.

    The clock is asked with as little arithmetic as there is: a zone has thousands of samples, and is asked for few changes.
    """
    if start < FIRST_S or end + PROBE_S > LAST_S:
        offsets = [compute_offset(zone, probe) for probe in range(start, end + PROBE_S, PROBE_S)]
        yield from (
            start + PROBE_S * number for number in range(1, len(offsets)) if offsets[number] != offsets[number - 1]
        )
        return
    distance, read = timedelta(0, PROBE_S), zone.fromutc
    moment = from_seconds(start).replace(tzinfo=zone)  # as `fromutc` takes it: the clock of UTC, in the zone
    before = read(moment) - moment
    for probe in range(start + PROBE_S, end + PROBE_S, PROBE_S):
        moment += distance
        after = read(moment) - moment
        if after != before:
            yield probe
            before = after


def _bisect(zone: tzinfo, low: int, high: int, before: int) -> int:
    """The first second in (low, high] at which the offset is no longer `before`."""
    while high - low > 1:
        middle = (low + high) // 2
        if compute_offset(zone, middle) == before:
            low = middle
        else:
            high = middle
    return high


def compute_offset(zone: tzinfo, instant: int) -> int:
    """The offset of the zone's clock from UTC at that instant, in seconds."""
    clamped = min(max(instant, FIRST_S), LAST_S)
    offset = from_seconds(clamped).astimezone(zone).utcoffset()
    assert offset is not None
    return offset.days * 86400 + offset.seconds
