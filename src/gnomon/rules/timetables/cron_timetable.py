"""`CronTimetable`, the base of all cron timetables: the instants of a cron expression in a zone."""

from __future__ import annotations

from datetime import tzinfo
from functools import cached_property, lru_cache

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.timetables.business.calendar_mixin import CalendarMixin
from gnomon.rules.timetables.clock_timetable import ClockTimetable
from gnomon.rules.timetables.cron.cron_days import CronDays
from gnomon.rules.timetables.cron.cron_fields import CRON_PRESETS, CronFields, parse_cron
from gnomon.rules.timetables.granularity import Granularity, cron_granularity
from gnomon.rules.timetables.wall_clock.clock_change import LabelClock
from gnomon.rules.timetables.wall_clock.labels import Labels
from gnomon.rules.timetables.wall_clock.zones import zone_of


class CronClock(LabelClock):
    """The instants of one cron expression."""

    def __init__(self, expression: str, zone: tzinfo) -> None:
        self.fields = parse_cron(expression)
        super().__init__(CronLabels(self.fields), zone, self.fields.every_hour)


@lru_cache(maxsize=4096)
def cron_clock(expression: str, zone: tzinfo) -> CronClock:
    """The cached CronClock of an expression in a zone. Raises AirflowTimetableInvalid for an invalid expression."""
    return CronClock(expression, zone)


def require_sense(expression: str, zone: tzinfo) -> None:
    """Raises AirflowTimetableInvalid if the expression is invalid, or selects only days that do not exist."""
    clock = cron_clock(expression, zone)
    if clock.never:
        raise AirflowTimetableInvalid(
            f"cron expression {expression!r} can never fire: no month among its months has such a day of month; "
            "change the day or month field ('L' is the last day of every month)"
        )


class CronTimetable(CalendarMixin, ClockTimetable):
    """A timetable whose instants are those of one cron expression in one zone."""

    def __init__(self, cron: str, timezone: object, calendar: object = None, on_holiday: str = "skip") -> None:
        if not isinstance(cron, str):
            raise TypeError(f"{type(self).__name__} takes a cron expression as text, such as '0 6 * * *', not {cron!r}")
        self._expression = CRON_PRESETS.get(cron, cron)
        self._timezone: tzinfo = zone_of(timezone)
        self._set_calendar(calendar, on_holiday)

    @property
    def expression(self) -> str:
        """The expression; a preset is replaced by its expression."""
        return self._expression

    @property
    def fields(self) -> CronFields:
        """The sets of values that its columns select."""
        return cron_clock(self._expression, self._timezone).fields

    @property
    def granularity(self) -> Granularity:  # type: ignore[override]
        """The granularity of its fields."""
        return cron_granularity(self.fields)

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid for an expression that is invalid or never fires."""
        require_sense(self._expression, self._timezone)

    @cached_property
    def _clock(self) -> LabelClock:
        require_sense(self._expression, self._timezone)
        clock = cron_clock(self._expression, self._timezone)
        if self._calendar is None:
            return clock
        labels = clock.labels
        return LabelClock(
            Labels(self._filter_days(labels.days), labels.minutes, labels.seconds), self._timezone, clock.both
        )


class CronLabels(Labels):
    """The labels of an expression."""

    def __init__(self, fields: CronFields) -> None:
        minutes = (hour * 60 + minute for hour in fields.hours for minute in fields.minutes)
        super().__init__(CronDays(fields), minutes, fields.seconds)
