"""Paths and types of pendulum, and the forms in which Airflow stores what Gnomon stores in forms of its own (`gnomon.model.serde.types`)."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from gnomon.authoring.sdk.serialization.version_check import check_version
from gnomon.model.serde.stored_objects import StoredObject

_DATES_VERSION = 2
_PATHS = ("Path", "PosixPath", "WindowsPath", "PurePosixPath", "PureWindowsPath")


def describe(value: object) -> StoredObject | None:
    """What is stored of a path, or of a date, time, duration or zone of pendulum; None for a moment, which `gnomon.model.serde` stores."""
    kind = type(value)
    if kind.__name__ in _PATHS and kind.__module__.startswith("pathlib"):
        return StoredObject(f"pathlib.{kind.__name__}", 1, str(value))
    name = f"{kind.__module__}.{kind.__qualname__}"
    writer = _PENDULUM_WRITERS.get(name)
    return None if writer is None else StoredObject(name, *writer(value))


_PENDULUM_WRITERS: dict[str, Callable[[Any], tuple[int, object]]] = {
    "pendulum.date.Date": lambda value: (_DATES_VERSION, value.isoformat()),
    "pendulum.time.Time": lambda value: (1, [value.replace(tzinfo=None).isoformat(), value.tzinfo]),
    "pendulum.duration.Duration": lambda value: (
        1,
        {
            "years": value.years,
            "months": value.months,
            "days": value.days - 365 * value.years - 30 * value.months,
            "seconds": value.seconds,
            "microseconds": value.microseconds,
        },
    ),
    "pendulum.tz.timezone.FixedTimezone": lambda value: (1, "UTC" if value.offset == 0 else value.offset),
    "pendulum.tz.timezone.Timezone": lambda value: (1, value.key),
}


def find_reader(classname: str) -> Callable[[StoredObject], object] | None:
    """The function that makes a value of this class; None for a class that is not stored so."""
    reader = _READERS.get(classname)
    if reader is None:
        return None
    known_version, read = reader

    def read_checked(stored: StoredObject) -> object:
        check_version(stored, known_version)
        return read(stored.data)

    return read_checked


def _read_path(name: str) -> Callable[[Any], object]:
    def read(data: Any) -> object:
        import pathlib

        return getattr(pathlib, name)(data)

    return read


def _read_moment(data: Any) -> dt.datetime:
    """A moment in Airflow's form: seconds since 1970, and its zone as (name or offset, class, version, ...)."""
    if isinstance(data, int | float):
        return dt.datetime.fromtimestamp(data, tz=dt.UTC)
    zone = data["tz"]
    return dt.datetime.fromtimestamp(
        float(data["timestamp"]),
        tz=None if zone is None else _find_zone(zone[0] if isinstance(zone, list | tuple) else zone),
    )


def _read_pendulum_moment(data: Any) -> object:
    import pendulum

    moment = _read_moment(data)
    return pendulum.instance(moment, tz=moment.tzinfo)


def _find_zone(name: str | int) -> dt.tzinfo:
    """A zone of pendulum, which Airflow gives for every stored zone."""
    import pendulum

    return pendulum.timezone(name)


def _read_pendulum(name: str) -> Callable[[Any], object]:
    def read(data: Any) -> object:
        import pendulum

        return getattr(pendulum, name).fromisoformat(data)

    return read


def _read_time(data: Any) -> object:
    import pendulum

    return pendulum.Time.fromisoformat(data[0]).replace(tzinfo=data[1])


def _read_duration(data: Any) -> object:
    import pendulum

    return pendulum.duration(**data)


_READERS: dict[str, tuple[int, Callable[[Any], object]]] = {
    **{f"pathlib.{name}": (1, _read_path("Path" if name in ("PosixPath", "WindowsPath") else name)) for name in _PATHS},
    "builtins.frozenset": (1, frozenset),
    "builtins.set": (1, set),
    "builtins.tuple": (1, tuple),
    "datetime.date": (_DATES_VERSION, dt.date.fromisoformat),
    "datetime.datetime": (_DATES_VERSION, _read_moment),
    "datetime.timedelta": (_DATES_VERSION, lambda data: dt.timedelta(seconds=float(data))),
    "decimal.Decimal": (1, lambda data: Decimal(str(data))),
    "pendulum.date.Date": (_DATES_VERSION, _read_pendulum("Date")),
    "pendulum.datetime.DateTime": (_DATES_VERSION, _read_pendulum_moment),
    "pendulum.duration.Duration": (1, _read_duration),
    "pendulum.time.Time": (1, _read_time),
    "pendulum.tz.timezone.FixedTimezone": (1, _find_zone),
    "pendulum.tz.timezone.Timezone": (1, _find_zone),
    "uuid.UUID": (1, UUID),
    "zoneinfo.ZoneInfo": (1, ZoneInfo),
}
"""Stored class name to the newest version that is known, and the function that reads its data."""
