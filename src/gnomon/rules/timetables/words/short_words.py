"""Built-in timetables in a few words, for listings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gnomon.model.sentences import Sentence, quote, say
from gnomon.rules.timetables.spans import decode_span
from gnomon.rules.timetables.words.word_parts import (
    add_calendar,
    list_clock_times,
    list_month_days,
    say_business_days,
    say_time_after,
    say_window,
)

_SHORT_WEEKDAYS = (
    "monday_short",
    "tuesday_short",
    "wednesday_short",
    "thursday_short",
    "friday_short",
    "saturday_short",
    "sunday_short",
)


def _say_crons(data: Mapping[str, Any]) -> Sentence:
    return quote(", ".join(data["expressions"]))


def _say_events(data: Mapping[str, Any]) -> Sentence:
    if data["description"] is not None:
        return quote(data["description"])
    return say("events", count=len(data["event_dates"]))


def _say_weekly(data: Mapping[str, Any]) -> Sentence:
    days = tuple(say(_SHORT_WEEKDAYS[weekday - 1]) for weekday in data["weekdays"])
    return say("weekly", days=days, start_time=data["at"])


def _say_business_days(data: Mapping[str, Any]) -> Sentence:
    if data["interval"] == "since":
        return say_business_days(data)
    return say("after_business_days", **say_time_after(data))


_SAID: dict[str, Callable[[Mapping[str, Any]], Sentence]] = {
    "NullTimetable": lambda _: say("schedule_is_none"),
    "OnceTimetable": lambda _: quote("@once"),
    "ContinuousTimetable": lambda _: quote("@continuous"),
    "PartitionedAtRuntime": lambda _: quote("PartitionedAtRuntime"),
    "CronTriggerTimetable": lambda data: quote(data["expression"]),
    "CronDataIntervalTimetable": lambda data: quote(data["expression"]),
    "CronPartitionTimetable": lambda data: quote(data["expression"]),
    "MultipleCronTriggerTimetable": _say_crons,
    "DeltaTriggerTimetable": lambda data: quote(str(decode_span(data["delta"]))),
    "DeltaDataIntervalTimetable": lambda data: quote(str(decode_span(data["delta"]))),
    "EventsTimetable": _say_events,
    "Minutely": lambda data: say("every_minutes", count=data["every"], window=say_window("window", data)),
    "Hourly": lambda data: say("every_hours", count=data["every"], window=say_window("window", data)),
    "DiscreteHours": lambda data: say("at_times", times=list_clock_times(data)),
    "Daily": lambda data: say("daily", start_time=data["at"]),
    "Weekly": _say_weekly,
    "Monthly": lambda data: say("monthly", days=list_month_days(data), start_time=data["at"]),
    "BusinessDays": _say_business_days,
}


def summarize(name: str, data: Mapping[str, Any]) -> Sentence:
    """The words of the built-in class `name` for what its `serialize` returned."""
    return add_calendar(name, data, _SAID[name](data))
