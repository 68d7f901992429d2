"""A timetable class of an author, called through a timetable host: every two hours, regardless of catchup."""

from __future__ import annotations

from datetime import datetime, timedelta

from gnomon.model.slots import DagRunInfo, DataInterval, TimeRestriction
from gnomon.timetables import Timetable

STEP = timedelta(hours=2)


class EveryTwoHours(Timetable):
    """Intervals of two hours that begin at even hours UTC."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        return DataInterval(run_after - STEP, run_after)

    def next_dagrun_info(
        self, *, last_automated_data_interval: DataInterval | None, restriction: TimeRestriction
    ) -> DagRunInfo | None:
        earliest, latest, _ = restriction
        if earliest is None:
            return None
        start = _even(earliest)
        if last_automated_data_interval is not None:
            last = last_automated_data_interval
            follows = _even(last.end - STEP + timedelta(microseconds=1))
            start = max(start, follows if follows > last.start else follows + STEP)
        if latest is not None and start > latest:
            return None
        return DagRunInfo.interval(start, start + STEP)


def _even(moment: datetime) -> datetime:
    """The first even hour that is not before the moment."""
    floor = moment.replace(hour=moment.hour // 2 * 2, minute=0, second=0, microsecond=0)
    return floor if floor >= moment else floor + STEP
