"""What goes wrong with timetables: one that cannot be used as written, and one that did not answer when asked."""

from __future__ import annotations

from gnomon.errors.authoring import AirflowTimetableInvalid

__all__ = ["AirflowTimetableInvalid", "CalendarEnded", "PlanningError", "TimetableNotBuilt"]


class CalendarEnded(AirflowTimetableInvalid):
    """A calendar was asked about a day that it does not cover: the sentence names calendar, day and remedy."""


class PlanningError(Exception):
    """A timetable raised, or answered what no timetable may: the sentence names class, method and remedy."""


class TimetableNotBuilt(AirflowTimetableInvalid, PlanningError):
    """A stored timetable cannot be made again here: its class is not ours, or its data is not what the class takes."""
