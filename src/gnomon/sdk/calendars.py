"""Calendars by name: what `[calendars.NAME]` in `gnomon.toml` means."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from gnomon.calendars.calendar import Calendar
from gnomon.calendars.combined import Difference, Union
from gnomon.calendars.country import Country
from gnomon.calendars.dates import Dates
from gnomon.calendars.exchange import Exchange
from gnomon.calendars.named import Named
from gnomon.calendars.weekdays import NAMES, day_of
from gnomon.calendars.weekends import Weekends
from gnomon.config import CalendarTable, ConfigMistake, ambient, calendar_tables
from gnomon.errors.nearest import nearest
from gnomon.errors.timetable import AirflowTimetableInvalid
from gnomon.sdk.datesfile import read_dates

_Made = TypeVar("_Made")
KEYS = (
    "country", "subdivision", "exchange", "weekend", "dates", "dates_file", "since", "until", "working_days",
    "working_days_file", "union", "minus",
)


def calendar(name: str) -> Named:
    """The calendar `[calendars.NAME]` of the home's gnomon.toml, which becomes an input of the DAG file that asks.

    ConfigMistake when there is none (with the nearest name), or when its table makes no sense.
    """
    return NamedCalendars(ambient().home).find(name)


class NamedCalendars:
    """The named calendars of one home, as its file has them now."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._tables = calendar_tables(home)

    @property
    def names(self) -> list[str]:
        """Every name, in the order of the file."""
        return list(self._tables)

    def find(self, name: str) -> Named:
        """The calendar of that name; ConfigMistake as `calendar` has it."""
        return self._find(name, ())

    def _find(self, name: str, asked_by: tuple[str, ...]) -> Named:
        table = self._tables.get(name)
        if table is None:
            raise ConfigMistake(self._unknown(name, asked_by))
        if name in asked_by:
            circle = " -> ".join((*asked_by[asked_by.index(name):], name))
            raise ConfigMistake(f"{table.file}: the calendars {circle} are made of one another; take one of these names away")
        return Named(name, self._made(table, (*asked_by, name)))

    def _made(self, table: CalendarTable, asked_by: tuple[str, ...]) -> Calendar:
        _refuse_unknown(table)
        parts = [self._find(part, asked_by) for part in _texts(table, "union")]
        own = [made for make in (_country, _exchange, self._dates, _weekend) if (made := make(table)) is not None]
        everything: Calendar = Union(*own, *parts) if len(own) + len(parts) != 1 else [*own, *parts][0]
        for part in _texts(table, "minus"):
            everything = _less(table, everything, self._find(part, asked_by))
        working = self._days(table, "working_days")
        return everything.working(working) if working else everything

    def _dates(self, table: CalendarTable) -> Dates | None:
        """The days off that are listed, here or in a file."""
        if "dates" not in table.values and "dates_file" not in table.values:
            _refuse_alone(table, "dates or dates_file", "since", "until")
            return None
        values = table.values
        source = Path(_text(table, "dates_file")).name if "dates_file" in values else f"[calendars.{table.name}]"
        return _at(table, "dates_file" if "dates_file" in values else "dates", lambda: Dates(
            self._days(table, "dates"), since=values.get("since"), until=values.get("until"), source=source,
        ))

    def _days(self, table: CalendarTable, key: str) -> list[Any]:
        """The dates of `KEY = [...]` and of the file that `KEY_file` names, which lies below the home."""
        found = _at(table, key, lambda: [day_of(day) for day in _listed(table, key)])
        named = f"{key}_file"
        if named in table.values:
            file = self._home / Path(_text(table, named)).expanduser()
            until = _at(table, "until", lambda: day_of(table.values["until"])) if "until" in table.values else None
            found += _at(table, named, lambda: read_dates(file, until=until))
        return found

    def _unknown(self, name: str, asked_by: tuple[str, ...]) -> str:
        user = f"[calendars.{asked_by[-1]}] names the calendar {name!r}, and " if asked_by else ""
        meant = nearest(name, self._tables)
        known = f"did you mean {meant[0]!r}?" if meant else (
            f"there are {', '.join(self._tables)}" if self._tables else f"write it below a line [calendars.{name}]"
        )
        return f"{user}there is no calendar {name!r} in {self._home / 'gnomon.toml'}; {known}"


def _country(table: CalendarTable) -> Country | None:
    if "country" not in table.values:
        _refuse_alone(table, "country", "subdivision")
        return None
    subdivision = _text(table, "subdivision") if "subdivision" in table.values else None
    _at(table, "country", lambda: Country(table.values["country"]))
    return _at(table, "subdivision", lambda: Country(table.values["country"], subdivision, weekend=_weekdays(table)))


def _exchange(table: CalendarTable) -> Exchange | None:
    return _at(table, "exchange", lambda: _asked(Exchange(_text(table, "exchange")))) if "exchange" in table.values else None


def _asked(exchange: Exchange) -> Exchange:
    """The exchange, known to the library."""
    assert exchange.last_day is not None
    return exchange


def _weekend(table: CalendarTable) -> Weekends | None:
    """The weekly days off: those stated, else Saturday and Sunday where nothing else says something about weekends."""
    days = _weekdays(table)
    if days is None:
        return None if {"country", "exchange", "union"} & set(table.values) else Weekends()
    if not days and not {"country", "exchange", "union", "dates", "dates_file"} & set(table.values):
        raise ConfigMistake(f"{table.place('weekend')}: [calendars.{table.name}] has no day off; give it weekend, dates or a country")
    return None if not days or "country" in table.values else _at(table, "weekend", lambda: Weekends(*days))


def _weekdays(table: CalendarTable) -> list[Any] | None:
    return _listed(table, "weekend") if "weekend" in table.values else None


def _less(table: CalendarTable, whole: Calendar, part: Named) -> Difference:
    """The days off of `whole` without those of `part`, which must not work whole weekends."""
    both = whole.weekly & part.weekly
    if both:
        days = ", ".join(NAMES[day] for day in sorted(both))
        raise ConfigMistake(
            f"{table.place('minus')}: [calendars.{table.name}] minus {part.name!r} would make every {days} a working day, since "
            f"it is off in {part.name!r} too; write weekend = [] in [calendars.{part.name}]"
        )
    return whole - part


def _refuse_unknown(table: CalendarTable) -> None:
    for key in table.values:
        if key not in KEYS:
            meant = nearest(key, KEYS)
            remedy = f"did you mean {meant[0]}?" if meant else f"there are {', '.join(KEYS)}"
            raise ConfigMistake(f"{table.place(key)}: [calendars.{table.name}] has no {key}; {remedy}")


def _refuse_alone(table: CalendarTable, needed: str, *keys: str) -> None:
    for key in keys:
        if key in table.values:
            raise ConfigMistake(f"{table.place(key)}: {key} in [calendars.{table.name}] needs {needed}")


def _listed(table: CalendarTable, key: str) -> list[Any]:
    value = table.values.get(key, [])
    if isinstance(value, str):
        return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list) else [value]


def _texts(table: CalendarTable, key: str) -> list[str]:
    found = _listed(table, key)
    for one in found:
        if not isinstance(one, str):
            raise ConfigMistake(f"{table.place(key)}: {one!r} in {key} is no name of a calendar; write names in quotes")
    return found


def _text(table: CalendarTable, key: str) -> str:
    value = table.values[key]
    if not isinstance(value, str) or not value:
        raise ConfigMistake(f"{table.place(key)}: {key} of [calendars.{table.name}] is {value!r}; write a text in quotes")
    return value


def _at(table: CalendarTable, key: str, make: Callable[[], _Made]) -> _Made:
    """What `make` gives; its mistakes name calendar, key and line."""
    try:
        return make()
    except AirflowTimetableInvalid as error:
        raise ConfigMistake(f"{table.place(key)}: [calendars.{table.name}] {error}") from None
