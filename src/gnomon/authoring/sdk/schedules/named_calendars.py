"""Calendars by name: the sections `[calendars.NAME]` of `gnomon.toml`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from gnomon.authoring.sdk.schedules.dates_file import read_dates_file
from gnomon.ground.config import CalendarTable, OptionError, current_config, read_calendar_tables
from gnomon.model.errors.product import find_close_matches
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.model.sentences import Sentence, say
from gnomon.rules.calendars.calendar import Calendar, Difference, Union
from gnomon.rules.calendars.country import Country
from gnomon.rules.calendars.date_units import WEEKDAY_NAMES, parse_day
from gnomon.rules.calendars.exchange import Exchange
from gnomon.rules.calendars.fixed_calendars import Dates, Weekends
from gnomon.rules.calendars.named import Named

_Result = TypeVar("_Result")
KEYS = (
    "country",
    "subdivision",
    "exchange",
    "weekend",
    "dates",
    "dates_file",
    "since",
    "until",
    "working_days",
    "working_days_file",
    "union",
    "minus",
)


def calendar(name: str) -> Named:
    """Return the calendar `[calendars.NAME]` of gnomon.toml; the file becomes an input of the DAG file that is parsed.

    Raises OptionError, with the most similar name, when there is none, or when its table is not valid.
    """
    return NamedCalendars(current_config().home).find(name)


class NamedCalendars:
    """The named calendars in the current gnomon.toml of one home."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._tables = read_calendar_tables(home)

    @property
    def names(self) -> list[str]:
        """Return every name, in the order of the file."""
        return list(self._tables)

    def find(self, name: str) -> Named:
        """Return the calendar of that name. Raises as `calendar` does."""
        return self._find(name, ())

    def _find(self, name: str, asked_by: tuple[str, ...]) -> Named:
        table = self._tables.get(name)
        if table is None:
            raise OptionError(self._say_unknown(name, asked_by))
        if name in asked_by:
            circle = " -> ".join((*asked_by[asked_by.index(name) :], name))
            raise OptionError(say("calendars_are_made_of_one_another", file=str(table.file), names=circle))
        return Named(name, self._made(table, (*asked_by, name)))

    def _made(self, table: CalendarTable, asked_by: tuple[str, ...]) -> Calendar:
        _refuse_unknown(table)
        parts = [self._find(part, asked_by) for part in _read_texts(table, "union")]
        own = [
            calendar
            for make in (_build_country, _build_exchange, self._dates, _build_weekend)
            if (calendar := make(table)) is not None
        ]
        everything: Calendar = Union(*own, *parts) if len(own) + len(parts) != 1 else [*own, *parts][0]
        for part in _read_texts(table, "minus"):
            everything = _subtract(table, everything, self._find(part, asked_by))
        working = self._days(table, "working_days")
        return everything.working(working) if working else everything

    def _dates(self, table: CalendarTable) -> Dates | None:
        """Return the days off that are listed, in gnomon.toml or in a file."""
        if "dates" not in table.values and "dates_file" not in table.values:
            _refuse_without(table, "dates or dates_file", "since", "until")
            return None
        values = table.values
        source = Path(_read_text(table, "dates_file")).name if "dates_file" in values else f"[calendars.{table.name}]"
        return _with_location(
            table,
            "dates_file" if "dates_file" in values else "dates",
            lambda: Dates(
                self._days(table, "dates"),
                since=values.get("since"),
                until=values.get("until"),
                source=source,
            ),
        )

    def _days(self, table: CalendarTable, key: str) -> list[Any]:
        """Return the dates of `KEY = [...]` and of the file `KEY_file`, whose path is relative to the home."""
        days = _with_location(table, key, lambda: [parse_day(day) for day in _read_list(table, key)])
        named = f"{key}_file"
        if named in table.values:
            file = self._home / Path(_read_text(table, named)).expanduser()
            until = (
                _with_location(table, "until", lambda: parse_day(table.values["until"]))
                if "until" in table.values
                else None
            )
            days += _with_location(table, named, lambda: read_dates_file(file, until=until))
        return days

    def _say_unknown(self, name: str, asked_by: tuple[str, ...]) -> Sentence:
        file = str(self._home / "gnomon.toml")
        hint = self._suggest(name)
        if asked_by:
            return say("named_calendar_does_not_exist", calendar=asked_by[-1], name=name, file=file, hint=hint)
        return say("calendar_does_not_exist", name=name, file=file, hint=hint)

    def _suggest(self, name: str) -> Sentence:
        meant = find_close_matches(name, self._tables)
        if meant:
            return say("did_you_mean", names=repr(meant[0]))
        return say("there_are", names=", ".join(self._tables)) if self._tables else say("write_calendar", name=name)


def _build_country(table: CalendarTable) -> Country | None:
    if "country" not in table.values:
        _refuse_without(table, "country", "subdivision")
        return None
    subdivision = _read_text(table, "subdivision") if "subdivision" in table.values else None
    _with_location(table, "country", lambda: Country(table.values["country"]))
    return _with_location(
        table, "subdivision", lambda: Country(table.values["country"], subdivision, weekend=_read_weekdays(table))
    )


def _build_exchange(table: CalendarTable) -> Exchange | None:
    return (
        _with_location(table, "exchange", lambda: _require_known_exchange(Exchange(_read_text(table, "exchange"))))
        if "exchange" in table.values
        else None
    )


def _require_known_exchange(exchange: Exchange) -> Exchange:
    """Return the code of an exchange that exchange_calendars knows."""
    assert exchange.last_day is not None
    return exchange


def _build_weekend(table: CalendarTable) -> Weekends | None:
    """Return the weekly days off: those given, else Saturday and Sunday if no other key concerns weekends."""
    days = _read_weekdays(table)
    if days is None:
        return None if {"country", "exchange", "union"} & set(table.values) else Weekends()
    if not days and not {"country", "exchange", "union", "dates", "dates_file"} & set(table.values):
        raise OptionError(say("calendar_has_no_day_off", place=table.place("weekend"), calendar=table.name))
    return None if not days or "country" in table.values else _with_location(table, "weekend", lambda: Weekends(*days))


def _read_weekdays(table: CalendarTable) -> list[Any] | None:
    return _read_list(table, "weekend") if "weekend" in table.values else None


def _subtract(table: CalendarTable, whole: Calendar, part: Named) -> Difference:
    """Return the days off of `whole` without those of `part`. It is an error if whole weekends become working days."""
    both = whole.weekly & part.weekly
    if both:
        days = ", ".join(WEEKDAY_NAMES[day] for day in sorted(both))
        raise OptionError(
            say(
                "calendar_takes_away_too_much",
                place=table.place("minus"),
                calendar=table.name,
                other_calendar=part.name,
                names=days,
            )
        )
    return whole - part


def _refuse_unknown(table: CalendarTable) -> None:
    for key in table.values:
        if key not in KEYS:
            meant = find_close_matches(key, KEYS)
            raise OptionError(
                say(
                    "calendar_has_no_key",
                    place=table.place(key),
                    calendar=table.name,
                    key=key,
                    hint=say("did_you_mean", names=meant[0]) if meant else say("there_are", names=", ".join(KEYS)),
                )
            )


def _refuse_without(table: CalendarTable, needed: str, *keys: str) -> None:
    for key in keys:
        if key in table.values:
            raise OptionError(
                say(
                    "key_of_calendar_needs_another", place=table.place(key), key=key, calendar=table.name, reason=needed
                )
            )


def _read_list(table: CalendarTable, key: str) -> list[Any]:
    value = table.values.get(key, [])
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list) else [value]


def _read_texts(table: CalendarTable, key: str) -> list[str]:
    names = _read_list(table, key)
    for name in names:
        if not isinstance(name, str):
            raise OptionError(say("name_of_calendar_is_no_text", place=table.place(key), thing=repr(name), key=key))
    return names


def _read_text(table: CalendarTable, key: str) -> str:
    value = table.values[key]
    if not isinstance(value, str) or not value:
        raise OptionError(
            say("key_of_calendar_is_no_text", place=table.place(key), key=key, calendar=table.name, thing=repr(value))
        )
    return value


def _with_location(table: CalendarTable, key: str, make: Callable[[], _Result]) -> _Result:
    """Return the result of `make`; an error gets the calendar, the key and the line."""
    try:
        return make()
    except AirflowTimetableInvalid as error:
        raise OptionError(
            say("calendar_has_error", place=table.place(key), calendar=table.name, error=str(error))
        ) from None
