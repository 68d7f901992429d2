"""Built-in timetables as sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from gnomon.model.instants import to_instant
from gnomon.model.sentences import CronText, Sentence, quote, say
from gnomon.rules.timetables.cron.cron_words import describe_cron
from gnomon.rules.timetables.words.word_parts import (
    WEEKDAYS,
    add_calendar,
    list_clock_times,
    list_month_days,
    parse_events,
    say_business_days,
    say_time_after,
    say_window,
)


def _say_cron(data: Mapping[str, Any]) -> Sentence | None:
    words = describe_cron(data["expression"])
    return say("cron", cron=CronText(data["expression"], words)) if words else None


def _say_crons(data: Mapping[str, Any]) -> Sentence | None:
    words = {expression: describe_cron(expression) for expression in data["expressions"]}
    if not any(words.values()):
        return None
    texts = (CronText(expression, told or expression) for expression, told in words.items())
    return say("crons", crons=tuple(say("cron", cron=text) for text in texts))


def _say_events(data: Mapping[str, Any]) -> Sentence:
    if data["description"] is not None:
        return quote(data["description"])
    events = parse_events(data)
    if not events:
        return say("no_events")
    return say("events_between", count=len(events), at=to_instant(events[0]), until=to_instant(events[-1]))


def _say_minutely(data: Mapping[str, Any]) -> Sentence:
    every, minute = data["every"], int(data["start"][3:])
    uneven = 60 % every or minute >= every
    anew = say("counted_anew", minute=f"{minute:02d}") if uneven else None
    return say("every_minutes_long", count=every, window=say_window("window_long", data), anew=anew)


def _say_weekly(data: Mapping[str, Any]) -> Sentence:
    days = [say(WEEKDAYS[weekday - 1]) for weekday in data["weekdays"]]
    return say("on_weekdays_at", start_time=data["at"], when=_join(days))


def _say_monthly(data: Mapping[str, Any]) -> Sentence:
    return say("on_days_of_month_at", start_time=data["at"], when=_join(list_month_days(data)))


def _say_business_days(data: Mapping[str, Any]) -> Sentence:
    if data["interval"] == "since":
        return say_business_days(data)
    return say("after_business_days_long", **say_time_after(data))


def _join(days: Sequence[Sentence]) -> Sentence:
    """`a`, `a and b`, or `a, b and c`."""
    return say("and_last_one", days=tuple(days[:-1]), last=days[-1]) if len(days) > 1 else days[0]


_SAID: dict[str, Callable[[Mapping[str, Any]], Sentence | None]] = {
    "NullTimetable": lambda _: say("never_scheduled"),
    "OnceTimetable": lambda _: say("once"),
    "ContinuousTimetable": lambda _: say("continuously"),
    "PartitionedAtRuntime": lambda _: say("never_scheduled_but_partitioned"),
    "CronTriggerTimetable": _say_cron,
    "CronDataIntervalTimetable": _say_cron,
    "CronPartitionTimetable": _say_cron,
    "MultipleCronTriggerTimetable": _say_crons,
    "DeltaTriggerTimetable": lambda _: None,
    "DeltaDataIntervalTimetable": lambda _: None,
    "EventsTimetable": _say_events,
    "Minutely": _say_minutely,
    "Hourly": lambda data: say("every_hours_long", count=data["every"], window=say_window("window_long", data)),
    "DiscreteHours": lambda data: say("every_day_at", when=_join(list_clock_times(data))),
    "Daily": lambda data: say("every_day_at", when=say("time_of_day", start_time=data["at"])),
    "Weekly": _say_weekly,
    "Monthly": _say_monthly,
    "BusinessDays": _say_business_days,
}
_IN_ZONE = frozenset({"Minutely", "Hourly", "DiscreteHours", "Daily", "Weekly", "Monthly", "BusinessDays"})
"""The sentences that name wall-clock times, and so the zone."""


def describe(name: str, data: Mapping[str, Any]) -> Sentence | None:
    """The sentence of the built-in class `name` for what its `serialize` returned; None where there is none."""
    sentence = _SAID[name](data)
    if sentence is None:
        return None
    if name in _IN_ZONE:
        sentence = say("in_zone", schedule=sentence, zone=str(data["timezone"]))
    return add_calendar(name, data, sentence)
