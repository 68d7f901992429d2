"""The types beyond JSON: for each its name, the function that encodes a value, and the function that decodes it."""

from __future__ import annotations

import base64
import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

Encoder = tuple[str, Callable[[Any], object]]


def find_encoder(value: object) -> Encoder | None:
    """The name of the value's type and its encoder; None when the type is not supported."""
    for kind, encoder in _ENCODERS.items():
        if isinstance(value, kind):
            if kind is dt.datetime and type(value).__module__.startswith("pendulum"):
                return "pendulum.DateTime", encoder[1]
            return encoder
    return None


def _write_datetime(value: dt.datetime) -> object:
    body: list[object] = [value.replace(tzinfo=None).isoformat(), _zone_name(value)]
    return [*body, 1] if value.fold else body


def _zone_name(value: dt.datetime | dt.time) -> str | float | None:
    """The key of a named zone, else the offset in seconds; None for a naive value."""
    zone = value.tzinfo
    if zone is None:
        return None
    if zone is dt.UTC:
        return "UTC"
    name = getattr(zone, "key", None) or getattr(zone, "name", None) or getattr(zone, "zone", None)
    if isinstance(name, str) and not name.startswith(("+", "-")):
        return name
    offset = value.utcoffset()
    return None if offset is None else offset.total_seconds()


def _find_zone(name: str | float | None) -> dt.tzinfo | None:
    if name is None:
        return None
    if name == "UTC":
        return dt.UTC
    if isinstance(name, str):
        return ZoneInfo(name)
    return dt.timezone(dt.timedelta(seconds=name))


def _read_datetime(body: list[Any]) -> dt.datetime:
    fold = body[2] if len(body) > 2 else 0
    return dt.datetime.fromisoformat(body[0]).replace(tzinfo=_find_zone(body[1]), fold=fold)


def _read_pendulum(body: list[Any]) -> dt.datetime:
    import pendulum  # loaded with the first value of its types, because the import is slow

    moment = _read_datetime(body)
    if moment.tzinfo is None:
        return pendulum.instance(moment, tz=None)
    zone = body[1]
    return pendulum.instance(moment, tz=pendulum.timezone(zone if isinstance(zone, str) else int(zone)))


def _write_timedelta(value: dt.timedelta) -> object:
    return [value.days, value.seconds, value.microseconds]


def _write_timezone(value: dt.timezone) -> object:
    offset, *name = value.__getinitargs__()  # type: ignore[attr-defined]
    return [offset.total_seconds(), *name]


def _read_timezone(body: list[Any]) -> dt.timezone:
    return dt.timezone(dt.timedelta(seconds=body[0]), *body[1:])


def _read_time(body: list[Any]) -> dt.time:
    return dt.time.fromisoformat(body[0]).replace(tzinfo=_find_zone(body[1]))


# The order matters: datetime is a subclass of date.
_ENCODERS: dict[type, Encoder] = {
    dt.datetime: ("datetime", _write_datetime),
    dt.date: ("date", dt.date.isoformat),
    dt.time: ("time", lambda value: [value.replace(tzinfo=None).isoformat(), _zone_name(value)]),
    dt.timedelta: ("timedelta", _write_timedelta),
    Decimal: ("decimal", str),
    UUID: ("uuid", str),
    bytes: ("bytes", lambda value: base64.b64encode(value).decode("ascii")),
    bytearray: ("bytearray", lambda value: base64.b64encode(value).decode("ascii")),
    ZoneInfo: ("zone", lambda value: value.key),
    dt.timezone: ("timezone", _write_timezone),
}


def register_type(name: str, kind: type, encode: Callable[[Any], object], decode: Callable[[Any], object]) -> None:
    """Add a type of an optional package. Its module registers it when it is imported; a reader must import that module first."""
    _ENCODERS[kind] = (name, encode)
    DECODERS[name] = decode


DECODERS: dict[str, Callable[[Any], object]] = {
    "float": float,
    "datetime": _read_datetime,
    "pendulum.DateTime": _read_pendulum,
    "date": dt.date.fromisoformat,
    "time": _read_time,
    "timedelta": lambda body: dt.timedelta(*body),
    "decimal": Decimal,
    "uuid": UUID,
    "bytes": base64.b64decode,
    "bytearray": lambda body: bytearray(base64.b64decode(body)),
    "zone": ZoneInfo,
    "timezone": _read_timezone,
}
