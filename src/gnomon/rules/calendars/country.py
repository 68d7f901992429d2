"""Public holidays by country and subdivision, from the library `holidays`, which is imported at the first use."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from functools import cached_property, lru_cache
from typing import Any, Self

from gnomon.model.errors.product import find_close_matches
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.calendar import Calendar
from gnomon.rules.calendars.coverage import Coverage
from gnomon.rules.calendars.date_units import WEEKDAY_NAMES, parse_weekday_numbers


class Country(Calendar):
    """Days off are the public holidays and the weekend of a country, except weekend days that the country declares working days.

    `country`: its code (`US`, `USA`) or English name. `subdivision`: the library's code of a state, canton or province.
    `weekend`: weekly days off instead of the country's own; `()` for public holidays alone. Raises
    AirflowTimetableInvalid for an unknown country or subdivision.
    """

    def __init__(
        self, country: str, subdivision: str | None = None, *, weekend: Iterable[str | int] | None = None
    ) -> None:
        self._country = _code_of(country)
        self._subdivision = None if subdivision is None else _subdivision_of(self._country, subdivision)
        self._weekend = None if weekend is None else parse_weekday_numbers(weekend)

    @property
    def label(self) -> str:
        where = self._country if self._subdivision is None else f"{self._country}-{self._subdivision}"
        if self._weekend is None:
            return where
        return f"{where} with {', '.join(WEEKDAY_NAMES[day] for day in sorted(self._weekend)) or 'no'} weekend"

    @property
    def coverages(self) -> tuple[Coverage, ...]:
        days = self._library
        first, last = date(max(days.start_year, 1), 1, 1), date(days.end_year, 12, 31)
        remedy = (
            f"install a newer release of the package holidays, which may cover more (this one is {library_version()})"
        )
        return (Coverage(f"the data of the package holidays for {self._country}", first, last, remedy),)

    @property
    def weekly(self) -> frozenset[int]:
        return self._own_weekend if self._weekend is None else self._weekend

    def is_off(self, day: date) -> bool:
        days = self._library
        if self._weekend is None:
            return not days.is_working_day(day)
        if day.weekday() in self._weekend and day not in days.weekend_workdays:
            return True
        return day in days

    def reason(self, day: date) -> str:
        return str(self._library.get(day) or "weekend")

    def encode(self) -> dict[str, Any]:
        return {
            "kind": "country",
            "country": self._country,
            "subdivision": self._subdivision,
            "weekend": None if self._weekend is None else sorted(self._weekend),
        }

    @classmethod
    def decode(cls, data: dict[str, Any]) -> Self:
        """The calendar whose `encode` returned `data`."""
        return cls(data["country"], data.get("subdivision"), weekend=data.get("weekend"))

    @cached_property
    def _own_weekend(self) -> frozenset[int]:
        """The country's present weekend; some countries have changed theirs."""
        week = [date(self._library.end_year, 1, number) for number in range(1, 8)]
        return frozenset(day.weekday() for day in week if self._library.is_weekend(day))

    @cached_property
    def _library(self) -> Any:
        return _library_of(self._country, self._subdivision)


def library_version() -> str:
    """The release of the package holidays."""
    from holidays.version import __version__

    return __version__


@lru_cache(maxsize=256)
def _library_of(country: str, subdivision: str | None) -> Any:
    """The library's calendar, which computes each year at its first use."""
    import holidays

    return holidays.country_holidays(country, subdiv=subdivision)


@lru_cache(maxsize=1)
def _codes() -> dict[str, str]:
    """Two-letter code of a country by each of its spellings, in lower case."""
    from holidays.registry import COUNTRIES

    codes: dict[str, str] = {}
    for module, (name, code, *others) in COUNTRIES.items():
        for spelling in (code, name, module, module.replace("_", " "), *others):
            codes.setdefault(spelling.lower(), code)
    return codes


def _code_of(country: object) -> str:
    codes = _codes()
    if isinstance(country, str) and country.strip().lower() in codes:
        return codes[country.strip().lower()]
    near = find_close_matches(country, codes) if isinstance(country, str) else []
    meant = f"did you mean {codes[near[0]]!r} ({near[0]})?" if near else "write its two-letter code, such as 'US'"
    raise AirflowTimetableInvalid(f"the package holidays {library_version()} has no country {country!r}; {meant}")


def _subdivision_of(country: str, subdivision: object) -> str:
    import holidays

    plain = holidays.country_holidays(country)
    codes = {str(code).lower(): str(code) for code in plain.subdivisions}
    codes |= {str(alias).lower(): str(code) for alias, code in plain.subdivisions_aliases.items()}
    code = codes.get(str(subdivision).strip().lower())
    if code is not None:
        return code
    if not codes:
        raise AirflowTimetableInvalid(f"{country} has no subdivisions in the package holidays; remove {subdivision!r}")
    near = find_close_matches(str(subdivision), codes)
    meant = f"did you mean {codes[near[0]]!r}?" if near else f"it knows {', '.join(sorted(set(codes.values())))}"
    raise AirflowTimetableInvalid(f"{country} has no subdivision {subdivision!r}; {meant}")


def list_library_versions(data: object) -> dict[str, str]:
    """The libraries that compute the days of a stored calendar, with their releases; empty if the days themselves are stored."""
    if isinstance(data, list):
        return {name: release for part in data for name, release in list_library_versions(part).items()}
    if not isinstance(data, dict):
        return {}
    if data.get("kind") == "country":
        return {"holidays": library_version()}
    return {name: release for key in ("of", "less") for name, release in list_library_versions(data.get(key)).items()}
