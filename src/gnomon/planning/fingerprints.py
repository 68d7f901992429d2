"""What a stored plan rests on. When it changes, the timetable is asked once more."""

from __future__ import annotations

import hashlib

import msgspec

from gnomon.calendars.libraries import libraries
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.timetables.zones import tzdata_version


def fingerprint(timetable: TimetableRef, spec: DagSpec) -> str:
    """A short hash over the timetable as stored, with the source of an author's, its bounds in the DAG, and the release of the tz database.

    Of a timetable on a calendar also the releases of the libraries that its days are worked out with.
    """
    origin: tuple[object, ...] = (timetable.path, timetable.data, timetable.code, spec.start_at, spec.end_at, spec.catchup, tzdata_version())
    used = libraries(timetable.data.get("calendar"))
    if used:
        origin = (*origin, used)
    return hashlib.sha256(msgspec.json.encode(origin, order="sorted")).hexdigest()[:32]
