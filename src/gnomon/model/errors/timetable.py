"""Errors of timetables and calendars."""

from __future__ import annotations

from gnomon.model.errors.authoring import AirflowTimetableInvalid

__all__ = ["AirflowTimetableInvalid", "CalendarEnded", "PlanningError", "TimetableNotBuilt"]


class CalendarEnded(AirflowTimetableInvalid):
    """A calendar does not cover the requested day: the message names the calendar, the day and the remedy."""


class PlanningError(Exception):
    """A timetable raised, or returned an invalid value: the message names the class, the method and the remedy."""


class TimetableNotBuilt(AirflowTimetableInvalid, PlanningError):
    """A stored timetable cannot be built here: its class is not built in, or the class does not take the stored data."""
