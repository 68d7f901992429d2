"""Zones and moments for authors: the functions of `airflow.utils.timezone` and `airflow.sdk.timezone`.

Where the dialect hands out pendulum objects, pendulum is loaded; where any aware datetime does, it is not.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, overload

from gnomon.clock import SystemClock
from gnomon.errors import UserError
from gnomon.errors.product import find_close_matches
from gnomon.model.instants import Instant, to_datetime
from gnomon.sdk.arguments import option_defaults

if TYPE_CHECKING:
    import pendulum

_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (a wall time: the offset of a zone is asked for it)


def utc_epoch() -> dt.datetime:
    """1 January 1970, aware, UTC."""
    return _EPOCH.replace(tzinfo=dt.UTC)


def utcnow() -> dt.datetime:
    """The present moment, aware, UTC."""
    return to_datetime(SystemClock().now())


def find_zone(name: str | int) -> dt.tzinfo:
    """The zone of an IANA name, `utc`, `system`, `local`, an offset (`+01:00`, or seconds); UserMistake otherwise."""
    if isinstance(name, int):
        return dt.timezone(dt.timedelta(seconds=name))
    if name[:1] in ("+", "-"):
        return _parse_offset(name)
    if name.lower() in ("utc", "z"):
        return dt.UTC
    if name.lower() in ("system", "local"):
        return local_system_zone()
    return _find_iana_zone(name)


def _parse_offset(name: str) -> dt.tzinfo:
    """The zone of an offset as `zone_name` writes it: `+01:30`."""
    hours, _, minutes = name[1:].partition(":")
    try:
        offset = dt.timedelta(hours=int(hours), minutes=int(minutes or 0))
        return dt.timezone(-offset if name[0] == "-" else offset)
    except ValueError:
        raise UserError(f"Time zone {name!r} is no offset; write it as '+01:00', or an IANA name.") from None


def parse_timezone(name: str | int) -> dt.tzinfo:
    """The pendulum zone of a name or an offset in seconds; UserMistake for an unknown one."""
    import pendulum

    if isinstance(name, str) and name.lower() not in ("utc", "system", "local"):
        _find_iana_zone(name)
    return pendulum.timezone("UTC" if isinstance(name, str) and name.lower() == "utc" else name)


def local_system_zone() -> dt.tzinfo:
    """The zone that this machine is set to."""
    import pendulum

    return pendulum.tz.local_timezone()


def local_timezone() -> dt.tzinfo:
    """The zone of this machine, as a pendulum zone."""
    return local_system_zone()


def default_zone() -> dt.tzinfo:
    """The zone of `[core] default_timezone`: what a naive start date is read in."""
    name = option_defaults.read_text("core", "default_timezone")
    try:
        return find_zone(name)
    except UserError as error:
        raise UserError(f"Option [core] default_timezone: {error}") from None


def zone_name(zone: dt.tzinfo | None) -> str:
    """The name that finds the zone again: its IANA key, `UTC`, or an offset as `+01:00`."""
    if zone is None or zone is dt.UTC:
        return "UTC"
    for attribute in ("key", "name", "zone"):
        name = getattr(zone, attribute, None)
        if isinstance(name, str) and name:
            return name
    file = getattr(zone, "_filename", None)
    if isinstance(file, str) and "zoneinfo/" in file:
        return file.partition("zoneinfo/")[2]
    return _offset_name(zone)


def _offset_name(zone: dt.tzinfo) -> str:
    offset = zone.utcoffset(_EPOCH)
    if not offset:
        return "UTC"
    sign = "-" if offset < dt.timedelta(0) else "+"
    minutes = abs(offset) // dt.timedelta(minutes=1)
    return f"{sign}{minutes // 60:02d}:{minutes % 60:02d}"


def _find_iana_zone(name: str) -> dt.tzinfo:
    from gnomon.errors.authoring import AirflowTimetableInvalid
    from gnomon.timetables.wall_clock.zones import named_zone  # zone data is read when a zone is first named

    try:
        return named_zone(name)
    except AirflowTimetableInvalid:
        raise UserError(f"Time zone {name!r} is not known{_suggest_zone(name)} "
                          "Use an IANA name such as 'Europe/Zurich', or 'UTC'.") from None


def _suggest_zone(name: str) -> str:
    import zoneinfo

    near = find_close_matches(name, zoneinfo.available_timezones())
    return f"; did you mean {near[0]!r}?" if near else "."


# Moments


def is_localized(value: dt.datetime) -> bool:
    """Whether the moment is aware."""
    return value.utcoffset() is not None


def is_naive(value: dt.datetime) -> bool:
    """Whether the moment has no zone."""
    return value.utcoffset() is None


def make_aware(value: dt.datetime, timezone: dt.tzinfo | None = None) -> dt.datetime:
    """The naive wall time in that zone (default: the installation's), aware; ValueError for an aware one."""
    if is_localized(value):
        raise ValueError(f"make_aware expects a naive datetime, got {value}")
    zone = timezone or default_zone()
    if hasattr(zone, "localize"):
        aware: dt.datetime = zone.localize(value)
        return aware
    return value.replace(tzinfo=zone, fold=value.fold)


def make_naive(value: dt.datetime, timezone: dt.tzinfo | None = None) -> dt.datetime:
    """The wall time in that zone (default: the installation's), naive; ValueError for a naive one."""
    if is_naive(value):
        raise ValueError("make_naive() cannot be applied to a naive datetime")
    return value.astimezone(timezone or default_zone()).replace(tzinfo=None)


@overload
def convert_to_utc(value: None) -> None: ...
@overload
def convert_to_utc(value: dt.datetime) -> dt.datetime: ...
def convert_to_utc(value: dt.datetime | None) -> dt.datetime | None:
    """The moment in UTC, as a pendulum DateTime; a naive one is read in the installation's zone."""
    if value is None:
        return None
    import pendulum

    aware = value if is_localized(value) else make_aware(value)
    return pendulum.instance(aware).in_timezone("UTC")


@overload
def coerce_datetime(value: None, tz: dt.tzinfo | None = None) -> None: ...
@overload
def coerce_datetime(value: dt.datetime, tz: dt.tzinfo | None = None) -> pendulum.DateTime: ...
def coerce_datetime(value: dt.datetime | None, tz: dt.tzinfo | None = None) -> pendulum.DateTime | None:
    """The moment as a pendulum DateTime, a naive one read as UTC; in zone `tz` when one is given."""
    if value is None:
        return None
    import pendulum

    moment = pendulum.instance(value if is_localized(value) else value.replace(tzinfo=dt.UTC))
    return moment.in_timezone(pendulum_zone(tz)) if tz else moment


def pendulum_zone(zone: dt.tzinfo) -> Any:
    """The pendulum zone that keeps the same time."""
    import pendulum
    from pendulum.tz.timezone import FixedTimezone, Timezone

    if isinstance(zone, Timezone | FixedTimezone):
        return zone
    name = zone_name(zone)
    if name.startswith(("+", "-")):
        offset = zone.utcoffset(_EPOCH) or dt.timedelta(0)
        return pendulum.timezone(int(offset.total_seconds()))
    return pendulum.timezone(name)


def datetime(*args: Any, **kwargs: Any) -> dt.datetime:  # the dialect's name
    """A datetime, in the installation's zone unless `tzinfo` is given."""
    if "tzinfo" not in kwargs:
        kwargs["tzinfo"] = default_zone()
    return dt.datetime(*args, **kwargs)  # noqa: DTZ001 (it has one now)


def parse(string: str, timezone: str | dt.tzinfo | None = None, *, strict: bool = False) -> pendulum.DateTime:
    """The moment that the text names, as a pendulum DateTime; without a zone in it, in `timezone` or the default."""
    import pendulum

    zone = timezone or default_zone()
    tz = pendulum_zone(zone) if isinstance(zone, dt.tzinfo) else zone
    moment = pendulum.parse(string, tz=tz, strict=strict)
    if not isinstance(moment, pendulum.DateTime):
        raise ValueError(f"{string!r} does not name a moment")
    return moment


def from_timestamp(timestamp: float, tz: str | dt.tzinfo = dt.UTC) -> pendulum.DateTime:
    """The moment that many seconds after 1970, as a pendulum DateTime in that zone."""
    import pendulum

    moment = pendulum.from_timestamp(timestamp)
    if tz == "local":
        return moment.in_timezone(pendulum.tz.local_timezone())
    return moment.in_timezone(pendulum_zone(tz) if isinstance(tz, dt.tzinfo) else tz)


def initialize(default_timezone: str) -> None:
    """Nothing changes: the zone is `[core] default_timezone`. Kept for files written for the dialect."""


def td_format(td_object: dt.timedelta | float | None) -> str | None:
    """The span in short words, largest units first (`1d:2h:3M:4s`); None for none."""
    if not td_object:
        return None
    seconds = int(td_object.total_seconds() if isinstance(td_object, dt.timedelta) else td_object)
    parts = []
    for unit, size in (("year", 31_536_000), ("month", 2_592_000), ("day", 86_400), ("h", 3600), ("M", 60), ("s", 1)):
        count, seconds = divmod(seconds, size)
        if count:
            mark = {"year": "y", "month": "mon", "day": "d"}.get(unit, unit)
            parts.append(f"{count}{mark}")
    return ":".join(parts) or "<1s"


def to_pendulum(instant: Instant | None) -> pendulum.DateTime | None:
    """The instant as a pendulum DateTime in UTC; None stays None."""
    return None if instant is None else coerce_datetime(to_datetime(instant))
