"""What all timetables with one span share: it has no grid, so any instant may be one of theirs."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from gnomon.timetables.spans import Span, later, require_forward
from gnomon.timetables.stepping import Stepping
from gnomon.timetables.zones import utc


class DeltaBased(Stepping):
    """A timetable whose instants lie one span apart."""

    _delta: Span

    @property
    def summary(self) -> str:
        return str(self._delta)

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid for a span that does not go forward."""
        require_forward(self._delta, "schedule")

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        require_forward(self._delta, "schedule")
        moment, until = utc(start), utc(end)
        while moment < until:
            yield moment
            moment = later(moment, self._delta)

    def _next(self, moment: datetime) -> datetime | None:
        return later(moment, self._delta)

    def _align_up(self, moment: datetime) -> datetime | None:
        return moment

    def _align_down(self, moment: datetime) -> datetime | None:
        return moment
