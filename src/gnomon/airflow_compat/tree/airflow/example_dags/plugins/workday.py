"""`airflow.example_dags.plugins.workday`: the well-known timetable that runs after each workday, in code of our own.

It is written as an author would, against the two methods of the protocol. `gnomon.timetables.BusinessDays("...",
interval="after")` does the same in one line, for any calendar.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

from airflow.plugins_manager import AirflowPlugin
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.calendars import Country
from gnomon.rules.timetables.system_time import now
from gnomon.rules.timetables.wall_clock.zones import to_utc

__all__ = ["AfterWorkdayTimetable", "WorkdayTimetablePlugin"]

_DAY = timedelta(days=1)
_WORKDAYS = Country("US")
"""Monday to Friday without the federal holidays of the United States."""


class AfterWorkdayTimetable(Timetable):
    """A run after each workday, about that day in UTC; none for weekends and federal holidays of the United States."""

    def infer_manual_data_interval(self, *, run_after: datetime) -> DataInterval:
        """The last workday that is complete."""
        day = _WORKDAYS.previous_business_day(to_utc(run_after).date())
        start = _midnight(run_after).replace(year=day.year, month=day.month, day=day.day)
        return DataInterval(start, start + _DAY)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        """The workday after the last one; without catchup none before today."""
        if last_automated_data_interval is not None:
            start = _midnight(last_automated_data_interval.start) + _DAY
        elif restriction.earliest is None:
            return None
        else:
            start = to_utc(restriction.earliest)
            if not restriction.catchup:
                start = max(start, _midnight(now()))
        start += _WORKDAYS.roll(start.date(), "forward") - start.date()
        if restriction.latest is not None and start > restriction.latest:
            return None
        return DagRunInfo.interval(start, start + _DAY)


class WorkdayTimetablePlugin(AirflowPlugin):
    """Registers the timetable, as Airflow wants it."""

    name = "workday_timetable_plugin"
    timetables = [AfterWorkdayTimetable]


def _midnight(moment: datetime) -> datetime:
    """The beginning of its day in UTC."""
    return datetime.combine(to_utc(moment).date(), time(), to_utc(moment).tzinfo)


__getattr__ = make_getattr(__name__)
