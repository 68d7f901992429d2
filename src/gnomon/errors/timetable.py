"""What goes wrong with timetables: one that cannot be used as written, and one that did not answer when asked."""

from __future__ import annotations

from gnomon.errors.authoring import AirflowTimetableInvalid

__all__ = ["AirflowTimetableInvalid", "PlanningError"]


class PlanningError(Exception):
    """A timetable raised, or answered what no timetable may: the sentence names class, method and remedy."""
