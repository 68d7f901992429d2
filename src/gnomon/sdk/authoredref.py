"""How an author's timetable is stored: everything that the server wants to know of it without asking its code again."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from typing import Any

from gnomon.errors.authoring import AirflowTimetableInvalid
from gnomon.model.slots import TimetableRef

_OURS = "gnomon."


def authored_reference(timetable: Any) -> TimetableRef:
    """The stored form. Raises AirflowTimetableInvalid for a property that raises or gives what it may not."""
    cls = type(timetable)
    return TimetableRef(
        path=f"{cls.__module__}.{cls.__qualname__}",
        data=json.loads(json.dumps(timetable.serialize())),
        summary=str(_read(timetable, "summary", "") or cls.__name__),
        description=str(_read(timetable, "description", "") or ""),
        can_be_scheduled=bool(_read(timetable, "can_be_scheduled", True)),
        periodic=bool(_read(timetable, "periodic", True)),
        active_runs_limit=_limit(timetable),
        follows_runs=bool(_read(timetable, "follows_runs", False)),
        builtin=False,
        code=code_of(cls),
        granularity=_read(timetable, "granularity", None),
        timezone=_zone(timetable),
    )


def _limit(timetable: Any) -> int | None:
    limit = _read(timetable, "active_runs_limit", None)
    if limit is None or (isinstance(limit, int) and not isinstance(limit, bool) and limit >= 1):
        return limit
    raise AirflowTimetableInvalid(
        f"{type(timetable).__name__}.active_runs_limit is {limit!r}; give a whole number from 1 on, or None for no limit"
    )


def _zone(timetable: Any) -> str | int | None:
    """Its `timezone`, for the days of dependencies between DAGs. What is no zone is something else of the author's."""
    zone = _read(timetable, "timezone", None)
    if zone is None:
        return None
    from gnomon.timetables.zones import encode_zone, zone_of  # few timetables have a zone

    try:
        return encode_zone(zone_of(zone))
    except AirflowTimetableInvalid:
        return None


def _read(timetable: Any, name: str, default: Any) -> Any:
    """A class attribute, an instance attribute or a property."""
    if not hasattr(type(timetable), name) and name not in getattr(timetable, "__dict__", {}):
        return default
    try:
        return getattr(timetable, name)
    except Exception as error:
        raise AirflowTimetableInvalid(
            f"{type(timetable).__name__}.{name} raised {type(error).__name__}: {error}; let it give a value"
        ) from error


def code_of(cls: type) -> str:
    """A digest of the files in which the class, and those it derives from, are defined; ours are left out."""
    whole = hashlib.sha256()
    modules = {kind.__module__ for kind in cls.__mro__ if not kind.__module__.startswith(_OURS)}
    for name in sorted(modules - {"builtins", "typing", "abc", "object"}):
        whole.update(f"{name}\0".encode() + _content(name) + b"\0")
    return whole.hexdigest()[:16]


def _content(module: str) -> bytes:
    """The source of a module that is imported; of one in an archive, the stamp of the archive."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if not isinstance(file, str):
        return b""
    try:
        with open(file, "rb") as opened:
            return hashlib.sha256(opened.read()).digest()
    except OSError:
        return _stamp_above(file)


def _stamp_above(file: str) -> bytes:
    while (above := os.path.dirname(file)) != file:
        file = above
        try:
            seen = os.stat(file)
        except OSError:
            continue
        return f"{seen.st_mtime_ns} {seen.st_size}".encode()
    return b""
