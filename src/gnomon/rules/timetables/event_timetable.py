"""`EventsTimetable`: runs at a list of instants."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Self

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.rules.timetables.base import BuiltinTimetable
from gnomon.rules.timetables.wall_clock.zones import to_utc


class EventsTimetable(BuiltinTimetable):
    """Runs at the given instants only.

    `restrict_to_events`: the interval of a manual run is the latest event before it, else its own instant. `presorted` is
    accepted for Airflow; the dates are sorted in any case. Raises AirflowTimetableInvalid for a date without a time zone.
    """

    def __init__(
        self,
        event_dates: Iterable[datetime],
        restrict_to_events: bool = False,
        presorted: bool = False,
        description: str | None = None,
    ) -> None:
        self.event_dates = sorted(_instants(event_dates))
        self.restrict_to_events = restrict_to_events
        self._given_description = description

    def serialize(self) -> dict[str, Any]:
        return {
            "event_dates": [moment.isoformat() for moment in self.event_dates],
            "restrict_to_events": self.restrict_to_events,
            "description": self._given_description,
        }

    @classmethod
    def deserialize(cls, data: dict[str, Any]) -> Self:
        return cls(
            [datetime.fromisoformat(text) for text in data["event_dates"]],
            restrict_to_events=data.get("restrict_to_events", False),
            presorted=True,
            description=data.get("description"),
        )

    def plan_next(self, last: DagRunInfo | None, restriction: TimeRestriction, now: datetime) -> DagRunInfo | None:
        """The first event after `last` within the restriction.

        Without catchup, the first run of a DAG is not in the past; later, the newest missed event still runs (Airflow loses
        an event between two rounds of its scheduler: airflow-surface.md B.3).
        """
        events = self.event_dates
        at = 0 if restriction.earliest is None else bisect_left(events, restriction.earliest)
        if last is not None:
            at = max(at, bisect_right(events, _end(last)))
            if not restriction.catchup:
                at = max(at, bisect_right(events, now) - 1)
        elif not restriction.catchup:
            at = max(at, bisect_left(events, now))
        if at >= len(events) or (restriction.latest is not None and events[at] > restriction.latest):
            return None
        return DagRunInfo.exact(events[at])

    def infer_manual(self, run_after: datetime) -> DataInterval:
        if not self.restrict_to_events or not self.event_dates:
            return DataInterval.exact(run_after)
        past = bisect_right(self.event_dates, run_after)
        return DataInterval.exact(self.event_dates[max(past - 1, 0)])

    def slots_between(self, start: datetime, end: datetime) -> Iterator[datetime]:
        for moment in dict.fromkeys(self.event_dates):
            if to_utc(start) <= moment < to_utc(end):
                yield moment


def _instants(moments: Iterable[datetime]) -> Iterator[datetime]:
    for moment in moments:
        if not isinstance(moment, datetime) or moment.utcoffset() is None:
            raise AirflowTimetableInvalid(
                f"EventsTimetable: {moment!r} in event_dates is not a datetime with a time zone; "
                "write for example datetime(2024, 1, 1, tzinfo=UTC)"
            )
        yield to_utc(moment)


def _end(last: DagRunInfo) -> datetime:
    return last.data_interval.end if last.data_interval is not None else last.run_after
