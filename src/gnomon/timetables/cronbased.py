"""What all timetables with one cron expression share: its zone, its instants, its words."""

from __future__ import annotations

from datetime import tzinfo
from functools import cached_property

from gnomon.timetables.clockbased import ClockBased
from gnomon.timetables.clockchange import LabelClock
from gnomon.timetables.cronclock import cron_clock, require_sense
from gnomon.timetables.cronfields import CronFields
from gnomon.timetables.cronlabels import Labels
from gnomon.timetables.granularity import Granularity, of_cron
from gnomon.timetables.oncalendar import OnCalendar
from gnomon.timetables.presets import CRON_PRESETS
from gnomon.timetables.words import cron_in_words
from gnomon.timetables.zones import zone_of


class CronBased(OnCalendar, ClockBased):
    """A timetable whose instants are those of one cron expression in one zone."""

    def __init__(self, cron: str, timezone: object, calendar: object = None, on_holiday: str = "skip") -> None:
        if not isinstance(cron, str):
            raise TypeError(f"{type(self).__name__} takes a cron expression as text, such as '0 6 * * *', not {cron!r}")
        self._expression = CRON_PRESETS.get(cron, cron)
        self._timezone: tzinfo = zone_of(timezone)
        self._keep_calendar(calendar, on_holiday)

    @property
    def expression(self) -> str:
        """The expression as it is evaluated: a preset stands as what it means."""
        return self._expression

    @property
    def summary(self) -> str:
        return self._in_words(self._expression)

    @cached_property
    def description(self) -> str:  # type: ignore[override]
        """The expression in words."""
        return self._in_words(cron_in_words(self._expression))

    @property
    def fields(self) -> CronFields:
        """What its columns select."""
        return cron_clock(self._expression, self._timezone).fields

    @property
    def granularity(self) -> Granularity:  # type: ignore[override]
        """The kind that its fields tell."""
        return of_cron(self.fields)

    def validate(self) -> None:
        """Raises AirflowTimetableInvalid for an expression that is malformed or can never fire."""
        require_sense(self._expression, self._timezone)

    @cached_property
    def _clock(self) -> LabelClock:
        require_sense(self._expression, self._timezone)
        clock = cron_clock(self._expression, self._timezone)
        if self._calendar is None:
            return clock
        labels = clock.labels
        return LabelClock(Labels(self._days_kept(labels.days), labels.minutes, labels.seconds), self._timezone, clock.both)
