"""What the short and the long words of timetables have in common: clock times, windows, days of the month, business days."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gnomon.model.sentences import ArgumentValue, Sentence, say
from gnomon.rules.calendars.decoding import decode

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
"""The codes of weekdays, by number of ISO 8601 from 1."""
_NTH_OF = {"week": "nth_of_week", "month": "nth_of_month", "quarter": "nth_of_quarter"}
_WHOLE_DAY = ("00:00", "23:59")
_ON_HOLIDAY = {
    "skip": "on_business_days",
    "previous": "moved_back_to_business_days",
    "next": "moved_on_to_business_days",
}


def add_calendar(name: str, data: Mapping[str, Any], sentence: Sentence) -> Sentence:
    """The sentence with the effect of `calendar=`, which `BusinessDays` says itself."""
    if data.get("calendar") is None or name == "BusinessDays":
        return sentence
    return say(_ON_HOLIDAY[data["on_holiday"]], schedule=sentence, calendar=decode(data["calendar"]).label)


def say_window(code: str, data: Mapping[str, Any]) -> Sentence | None:
    """From when to when of each day; None for the whole day."""
    bounds = data["start"], data["end"]
    return None if bounds == _WHOLE_DAY else say(code, start_time=bounds[0], end_time=bounds[1])


def list_clock_times(data: Mapping[str, Any]) -> tuple[Sentence, ...]:
    """The hours of `DiscreteHours`."""
    return tuple(say("time_of_day", start_time=f"{hour:02d}:{data['minute']:02d}") for hour in data["hours"])


def list_month_days(data: Mapping[str, Any]) -> tuple[Sentence, ...]:
    """`day 3`, `the last day`, `the second Monday`."""
    return tuple(map(_say_month_day, data["days"]))


def _say_month_day(day: int | str | list[int | str]) -> Sentence:
    if isinstance(day, list):
        weekday, nth = day
        return say("nth_weekday", ordinal=-1 if nth == "last" else int(nth), weekday=say(WEEKDAYS[int(weekday) - 1]))
    return say("last_day_of_month") if day == "last" else say("day_of_month", number=str(day))


def say_business_days(data: Mapping[str, Any]) -> Sentence:
    """`06:30 on business days of cn`."""
    return say(
        "on_business_days_at",
        start_time=_shorten(data["at"]),
        business_days=_say_which(data, "business_days"),
        calendar=decode(data["calendar"]).label,
    )


def say_time_after(data: Mapping[str, Any]) -> dict[str, ArgumentValue]:
    """The arguments of `after each business day of cn, at 02:00`."""
    at = _shorten(data["at"])
    return {
        "business_days": _say_which(data, "each_business_day"),
        "calendar": decode(data["calendar"]).label,
        "time_after": None if at == "00:00" else say("time_after", start_time=at),
    }


def _say_which(data: Mapping[str, Any], all_days: str) -> Sentence:
    return say(all_days) if data["nth"] is None else say(_NTH_OF[data["of"]], ordinal=data["nth"])


def _shorten(at: str) -> str:
    """`HH:MM`, or `HH:MM:SS` for a time with seconds."""
    return at.removesuffix(":00") if len(at) > len("00:00") else at


def parse_events(data: Mapping[str, Any]) -> list[datetime]:
    """The instants of `EventsTimetable`, in order."""
    return [datetime.fromisoformat(text) for text in data["event_dates"]]
