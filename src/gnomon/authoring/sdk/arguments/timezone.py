"""Zones and moments for authors: the functions of `airflow.utils.timezone` and `airflow.sdk.timezone`.

A function that returns pendulum objects in Airflow returns them here too; other functions do not load pendulum.
"""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, overload

from gnomon.authoring.sdk.arguments import option_defaults
from gnomon.ground.clock import SystemClock
from gnomon.model.errors import UserError
from gnomon.model.errors.product import find_close_matches
from gnomon.model.instants import Instant, to_datetime

if TYPE_CHECKING:
    import pendulum

    from gnomon.model.sentences import Sentence

_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (a wall time, at which the offset of a zone is read)


def utc_epoch() -> dt.datetime:
    """1 January 1970, aware, UTC."""
    return _EPOCH.replace(tzinfo=dt.UTC)


def utcnow() -> dt.datetime:
    """Return the current moment as an aware datetime in UTC."""
    return to_datetime(SystemClock().now())


def find_zone(name: str | int) -> dt.tzinfo:
    """Return the zone of an IANA name, `utc`, `system`, `local`, or an offset (`+01:00`, or seconds).

    Raises UserError for another text.
    """
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
    """Return the zone of an offset such as `+01:30`, the form that `zone_name` writes."""
    hours, _, minutes = name[1:].partition(":")
    try:
        offset = dt.timedelta(hours=int(hours), minutes=int(minutes or 0))
        return dt.timezone(-offset if name[0] == "-" else offset)
    except (ValueError, OverflowError):
        from gnomon.model.sentences import say  # loaded with the first refusal: most processes have none

        raise UserError(say("zone_is_no_offset", zone=name)) from None


def parse_timezone(name: str | int) -> dt.tzinfo:
    """Return the pendulum zone of a name or of an offset in seconds. Raises UserError for an unknown name."""
    import pendulum

    if isinstance(name, str) and name.lower() not in ("utc", "system", "local"):
        _find_iana_zone(name)
    return pendulum.timezone("UTC" if isinstance(name, str) and name.lower() == "utc" else name)


def local_system_zone() -> dt.tzinfo:
    """Return the time zone of this machine."""
    import pendulum

    return pendulum.tz.local_timezone()


def local_timezone() -> dt.tzinfo:
    """Return the time zone of this machine as a pendulum zone."""
    return local_system_zone()


def default_zone() -> dt.tzinfo:
    """Return the zone of `[core] default_timezone`, in which naive dates are read."""
    name = option_defaults.read_text("core", "default_timezone")
    try:
        return find_zone(name)
    except UserError as error:
        from gnomon.model.sentences import say

        raise UserError(say("default_timezone_is_wrong", error=str(error))) from None


def zone_name(zone: dt.tzinfo | None) -> str:
    """Return the name with which `find_zone` finds the zone: its IANA key, `UTC`, or an offset such as `+01:00`."""
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
    from gnomon.model.errors.authoring import AirflowTimetableInvalid
    from gnomon.rules.timetables.wall_clock.zones import named_zone  # zone data is read when a zone is first named

    try:
        return named_zone(name)
    except AirflowTimetableInvalid:
        from gnomon.model.sentences import say

        raise UserError(say("zone_is_not_known", zone=name, hint=_suggest_zone(name))) from None


def _suggest_zone(name: str) -> Sentence:
    import zoneinfo

    near = find_close_matches(name, zoneinfo.available_timezones())
    from gnomon.model.sentences import say

    return say("or_did_you_mean", names=repr(near[0])) if near else say("full_stop")


# Moments


def is_localized(value: dt.datetime) -> bool:
    """Return whether the moment has a time zone."""
    return value.utcoffset() is not None


def is_naive(value: dt.datetime) -> bool:
    """Return whether the moment has no time zone."""
    return value.utcoffset() is None


def make_aware(value: dt.datetime, timezone: dt.tzinfo | None = None) -> dt.datetime:
    """Return the naive wall time as an aware datetime in the zone (default: that of the installation).

    Raises ValueError for an aware datetime.
    """
    if is_localized(value):
        raise ValueError(f"make_aware expects a naive datetime, got {value}")
    zone = timezone or default_zone()
    if hasattr(zone, "localize"):
        aware: dt.datetime = zone.localize(value)
        return aware
    return value.replace(tzinfo=zone, fold=value.fold)


def make_naive(value: dt.datetime, timezone: dt.tzinfo | None = None) -> dt.datetime:
    """Return the wall time in the zone (default: that of the installation) as a naive datetime.

    Raises ValueError for a naive datetime.
    """
    if is_naive(value):
        raise ValueError("make_naive() cannot be applied to a naive datetime")
    return value.astimezone(timezone or default_zone()).replace(tzinfo=None)


@overload
def convert_to_utc(value: None) -> None: ...
@overload
def convert_to_utc(value: dt.datetime) -> dt.datetime: ...
def convert_to_utc(value: dt.datetime | None) -> dt.datetime | None:
    """Return the moment in UTC as a pendulum DateTime; a naive moment is read in the zone of the installation."""
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
    """Return the moment as a pendulum DateTime, in the zone `tz` if given; a naive moment is read as UTC."""
    if value is None:
        return None
    import pendulum

    moment = pendulum.instance(value if is_localized(value) else value.replace(tzinfo=dt.UTC))
    return moment.in_timezone(pendulum_zone(tz)) if tz else moment


def pendulum_zone(zone: dt.tzinfo) -> Any:
    """Return the equivalent pendulum zone."""
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
    """Return a datetime, in the zone of the installation unless `tzinfo` is given."""
    if "tzinfo" not in kwargs:
        kwargs["tzinfo"] = default_zone()
    return dt.datetime(*args, **kwargs)  # noqa: DTZ001 (it has one now)


def parse(string: str, timezone: str | dt.tzinfo | None = None, *, strict: bool = False) -> pendulum.DateTime:
    """Parse a text as a pendulum DateTime; a text without a zone is read in `timezone`, or in the zone of the installation."""
    import pendulum

    zone = timezone or default_zone()
    tz = pendulum_zone(zone) if isinstance(zone, dt.tzinfo) else zone
    moment = pendulum.parse(string, tz=tz, strict=strict)
    if not isinstance(moment, pendulum.DateTime):
        raise ValueError(f"{string!r} does not name a moment")
    return moment


def from_timestamp(timestamp: float, tz: str | dt.tzinfo = dt.UTC) -> pendulum.DateTime:
    """Return the moment `timestamp` seconds after 1970 as a pendulum DateTime in that zone."""
    import pendulum

    moment = pendulum.from_timestamp(timestamp)
    if tz == "local":
        return moment.in_timezone(pendulum.tz.local_timezone())
    return moment.in_timezone(pendulum_zone(tz) if isinstance(tz, dt.tzinfo) else tz)


def initialize(default_timezone: str) -> None:
    """Do nothing: the zone is always `[core] default_timezone`. Files for Airflow may call it."""


def td_format(td_object: dt.timedelta | float | None) -> str | None:
    """Return a span as short text, largest unit first (`1d:2h:3M:4s`); None for None."""
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
    """Return the instant as a pendulum DateTime in UTC; None for None."""
    return None if instant is None else coerce_datetime(to_datetime(instant))
