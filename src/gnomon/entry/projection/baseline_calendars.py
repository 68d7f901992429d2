"""The calendars that baselines name, as gnomon.toml defines them now."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from gnomon.authoring.sdk.schedules.named_calendars import NamedCalendars
from gnomon.ground.config import OptionError
from gnomon.model.baseline_specs import BaselineSpec
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.sentences import Sentence, quote, say
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.timetables.wall_clock.zones import zone_of


class BaselineCalendars:
    """Looks calendars up in the gnomon.toml of a home, which is read when the first baseline names one."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._named: NamedCalendars | None = None

    def find(self, spec: BaselineSpec, until: Instant) -> tuple[Calendar | None, Sentence | None]:
        """The calendar of the baseline, None for all days; and what is wrong with it for the days before `until`."""
        if not spec.calendar:
            return None, None
        try:
            self._named = self._named or NamedCalendars(self._home)
            calendar = self._named.find(spec.calendar)
            last_day = calendar.last_day
        except (OptionError, AirflowTimetableInvalid) as error:
            why = getattr(error, "sentence", None) or quote(str(error))
            return None, say("baseline_calendar_fails", place=spec.place, baseline=spec.name, why=why)
        if last_day is None or to_datetime(until).astimezone(zone_of(spec.timezone)).date() <= last_day:
            return calendar, None
        ends = say(
            "baseline_calendar_ends",
            place=spec.place,
            baseline=spec.name,
            calendar=spec.calendar,
            first=(last_day + timedelta(days=1)).isoformat(),
        )
        return calendar, ends
