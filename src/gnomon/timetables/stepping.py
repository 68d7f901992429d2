"""What timetables whose instants follow one another can be asked."""

from __future__ import annotations

from abc import abstractmethod
from datetime import datetime

from gnomon.timetables.base import BuiltinTimetable


class Stepping(BuiltinTimetable):
    """A timetable that goes from one instant to the next."""

    @abstractmethod
    def _next(self, moment: datetime) -> datetime | None:
        """The first instant after `moment`."""

    @abstractmethod
    def _align_up(self, moment: datetime) -> datetime | None:
        """The first instant that is not before `moment`."""

    @abstractmethod
    def _align_down(self, moment: datetime) -> datetime | None:
        """The last instant that is not after `moment`."""
