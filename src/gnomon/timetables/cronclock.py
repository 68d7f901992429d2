"""The instants at which an expression runs in a zone."""

from __future__ import annotations

from datetime import tzinfo
from functools import lru_cache

from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables.clockchange import LabelClock
from gnomon.timetables.cronfields import parse_cron
from gnomon.timetables.cronlabels import CronLabels


class CronClock(LabelClock):
    """The instants of one cron expression."""

    def __init__(self, expression: str, zone: tzinfo) -> None:
        self.fields = parse_cron(expression)
        super().__init__(CronLabels(self.fields), zone, self.fields.every_hour)


@lru_cache(maxsize=4096)
def cron_clock(expression: str, zone: tzinfo) -> CronClock:
    """The one CronClock of an expression in a zone; AirflowTimetableInvalid when the expression is none."""
    return CronClock(expression, zone)


def require_sense(expression: str, zone: tzinfo) -> None:
    """Raises AirflowTimetableInvalid when the expression is malformed, or selects no day that exists."""
    clock = cron_clock(expression, zone)
    if clock.never:
        raise AirflowTimetableInvalid(
            f"cron expression {expression!r} can never fire: no month among its months has such a day of month; "
            "change the day or month field ('L' is the last day of every month)"
        )
