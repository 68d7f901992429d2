"""What a stored plan rests on. When it changes, the timetable is asked once more."""

from __future__ import annotations

import hashlib

import msgspec

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec
from gnomon.timetables.zones import tzdata_version


def fingerprint(timetable: TimetableRef, spec: DagSpec) -> str:
    """A short hash over the timetable as stored, its bounds in the DAG, and the release of the tz database."""
    origin = (timetable.path, timetable.data, spec.start_at, spec.end_at, spec.catchup, tzdata_version())
    return hashlib.sha256(msgspec.json.encode(origin, order="sorted")).hexdigest()[:32]
