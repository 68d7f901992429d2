"""The due times of a schedule up to an instant, computed once for all DAGs that share the schedule and continued as time passes."""

from __future__ import annotations

from bisect import bisect_left

from gnomon.model.errors.timetable import AirflowTimetableInvalid, PlanningError
from gnomon.model.instants import Instant
from gnomon.model.slots import PlannedRun, TimeRestriction
from gnomon.rules.planning.queries import ask_next
from gnomon.rules.planning.walk import build_cursor
from gnomon.rules.timetables.base import Timetable

SLOTS_MAX = 3_000
"""The most due times in memory of one schedule: a schedule of each minute has 1,440 a day."""
_PIECE = 50


class SlotSequence:
    """The due times of a timetable from one planned run on, without the limits of a DAG."""

    def __init__(self, timetable: Timetable, first: PlannedRun) -> None:
        self._timetable = timetable
        self._last: PlannedRun | None = first
        self.instants = [first.run_after]

    def extend(self, until: Instant, now: Instant) -> bool:
        """Compute some further due times; True when all before `until` are known, or there are no more."""
        for _ in range(_PIECE):
            if self._last is None or self._last.run_after >= until or self._timetable.follows_runs:
                return True
            if len(self.instants) >= SLOTS_MAX:
                del self.instants[: bisect_left(self.instants, now)]
                if len(self.instants) >= SLOTS_MAX:
                    return True
            try:
                self._last = ask_next(self._timetable, build_cursor(self._last), TimeRestriction(None, None, True), now)
            except (PlanningError, AirflowTimetableInvalid):
                self._last = None  # planning reports the error to the DAG
            if self._last is not None:
                self.instants.append(self._last.run_after)
        return False

    def select(self, first: Instant, until: Instant) -> list[Instant] | None:
        """The due times from `first` to before `until`; None when `first` is not among them."""
        at = bisect_left(self.instants, first)
        if at == len(self.instants) or self.instants[at] != first:
            return None
        return self.instants[at : bisect_left(self.instants, until)]
