"""What each kind of calendar knows, up to when, and what its mistakes say."""

from __future__ import annotations

import sys
from datetime import UTC, date, datetime
from typing import Any

import pytest

from gnomon.calendars import ByName, Calendar, Country, Dates, Exchange, Weekends, calendar_of, decode
from gnomon.model.errors.timetable import AirflowTimetableInvalid, CalendarEnded
from gnomon.rules.calendars.calendar import WARN_WEEKS, find_end_warning
from gnomon.rules.calendars.country import list_library_versions

THANKSGIVING = date(2026, 11, 26)


def test_weekends_are_any_days_of_the_week() -> None:
    assert [Weekends("fri", "Saturday").is_business_day(date(2026, 11, day)) for day in (19, 20, 21, 22)] == [
        True,
        False,
        False,
        True,
    ]
    assert (Weekends().label, Weekends("fri", 5).label) == ("weekdays", "all days but fri, sat")
    assert Weekends().last_day is None and Weekends().covers(date(9999, 12, 31))


def test_a_country_is_known_by_code_and_name_with_its_subdivisions() -> None:
    assert Country("us") == Country("USA") == Country("United States") == Country("UnitedStates")
    assert Country("DE", "by") == Country("DE", "Bayern")
    assert not Country("DE", "BY").is_business_day(date(2026, 6, 4)) and Country("DE").is_business_day(date(2026, 6, 4))
    assert Country("US").reason(THANKSGIVING) == "Thanksgiving Day"


def test_a_country_has_the_weekend_that_it_has_now() -> None:
    assert (Country("US").weekly, Country("SA").weekly, Country("AE").weekly) == ({5, 6}, {4, 5}, {5, 6})
    assert not Country("SA").is_business_day(date(2012, 1, 5))  # a Thursday, when that was its weekend


def test_a_country_makes_up_for_holidays_on_weekends() -> None:
    assert Country("CN").is_business_day(date(2025, 1, 26))  # a Sunday, worked for the Spring Festival
    assert Country("CN", weekend=["sat", "sun"]).is_business_day(date(2025, 1, 26))


def test_what_a_country_knows_ends_with_the_librarys_range() -> None:
    us = Country("US")
    assert us.last_day == date(2100, 12, 31)
    with pytest.raises(
        CalendarEnded,
        match=r"calendar US does not know whether 2101-01-03 .*data of the package holidays for US ends on 2100-12-31; install a newer release",
    ):
        us.is_business_day(date(2101, 1, 3))
    assert list_library_versions((us | Weekends()).encode()) == list_library_versions([us.encode()])
    assert list(list_library_versions(us.encode())) == ["holidays"]
    assert list_library_versions(Weekends().encode()) == list_library_versions(None) == {}


def test_own_dates_are_known_for_whole_years_or_as_stated() -> None:
    own = Dates(["2025-05-01", date(2026, 12, 24)])
    assert (own.first_day, own.last_day) == (date(2025, 1, 1), date(2026, 12, 31))
    stated = Dates(["2026-05-01"], since="2025-12-01", until="2027-01-31")
    assert (stated.first_day, stated.last_day) == (date(2025, 12, 1), date(2027, 1, 31))
    with pytest.raises(
        CalendarEnded, match=r"whether 2027-02-01 .*list of own dates ends on 2027-01-31; add the days off"
    ):
        stated.next_business_day(date(2027, 1, 31))
    with pytest.raises(CalendarEnded, match="begins on 2025-12-01"):
        stated.previous_business_day(date(2025, 12, 1))


def test_a_calendar_made_of_others_ends_with_the_first_of_them() -> None:
    both = Country("US") | Dates(["2026-12-24"])
    assert (both.first_day, both.last_day) == (date(2026, 1, 1), date(2026, 12, 31))
    assert (both - Dates([], since="2026-02-01", until="2026-11-30")).last_day == date(2026, 11, 30)


def test_an_exchange_is_stored_with_its_sessions_and_needs_no_library_then(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("exchange_calendars")
    nyse = Exchange("NYSE")
    assert not nyse.is_business_day(date(2025, 1, 9))  # a day of mourning
    assert (nyse.is_business_day(date(2025, 1, 10)), nyse.weekly) == (True, {5, 6})
    data = nyse.encode()
    monkeypatch.setitem(sys.modules, "exchange_calendars", None)
    again = decode(data)
    assert (again, again.last_day) == (nyse, nyse.last_day)
    assert list_library_versions(data) == {}


def test_an_exchange_ends_with_its_last_session() -> None:
    pytest.importorskip("exchange_calendars")
    shanghai = Exchange("XSHG")
    last = shanghai.last_day
    assert last is not None
    with pytest.raises(
        CalendarEnded,
        match=rf"list of sessions of XSHG ends on {last}; install a newer release of the package exchange_calendars",
    ):
        shanghai.next_business_day(last)


def test_an_exchange_without_its_library_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "exchange_calendars", None)
    with pytest.raises(
        AirflowTimetableInvalid, match=r"'XLIS' need the package exchange_calendars .*pip install gnomon\[exchanges\]"
    ):
        Exchange("XLIS").is_business_day(THANKSGIVING)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Country("Germny"), r"no country 'Germny'; did you mean 'DE' \(germany\)\?"),
        (lambda: Country("XQ"), "no country 'XQ'; write its two-letter code"),
        (lambda: Country("CH", "Zurich city"), "CH has no subdivision 'Zurich city'; "),
        (lambda: Country("SG", "x"), "SG has no subdivisions"),
        (lambda: Weekends("satday"), "'satday' is not a weekday; write mon, tue"),
        (lambda: Weekends(*range(7)), "all seven weekdays are days off"),
        (lambda: Dates([]), "is empty; add a date, or give with until="),
        (lambda: Dates(["1 May"]), "'1 May' is not a date; write it as YYYY-MM-DD"),
        (lambda: calendar_of(3), "calendar=3 is not a calendar; give a calendar of gnomon.calendars"),
        (lambda: decode({"kind": "moon"}), "'moon' is not a kind of calendar; the kinds are country, dates"),
        (lambda: Weekends().nth_business_day(THANKSGIVING, 0), "n is 0; count business days from 1"),
        (
            lambda: Weekends().nth_business_day(THANKSGIVING, 1, "year"),
            "'year' is not a span of days; write one of week, month, quarter",
        ),
        (
            lambda: (Weekends(*range(6)) | Weekends(6)).roll(THANKSGIVING, "forward"),
            "has no business day in the 400 days after 2026-11-26",
        ),
        (lambda: ByName("finance").is_business_day(THANKSGIVING), "calendar 'finance' was not looked up"),
    ],
)
def test_a_mistake_says_what_to_write(make: Any, says: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=says):
        make()


def test_a_calendar_refuses_a_datetime() -> None:
    with pytest.raises(TypeError, match="is an instant; give a date"):
        Weekends().is_business_day(datetime(2026, 1, 1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("today", "says"),
    [
        (date(2026, 12, 31).replace(day=31), "knows its days up to 2026-12-31, 0 days from now"),
        (date(2026, 12, 30), "1 day from now"),
        (date.fromordinal(date(2026, 12, 31).toordinal() - 7 * WARN_WEEKS), "42 days from now"),
        (date(2027, 1, 1), "which is past"),
    ],
)
def test_a_warning_precedes_the_end_of_a_calendar_by_weeks(today: date, says: str) -> None:
    calendar: Calendar = Country("US") | Dates(["2026-12-24"], source="closed.csv")
    told = find_end_warning(calendar, today)
    assert told is not None
    assert says in told
    assert "the list of dates in closed.csv ends there; add the days off that are missing" in told


def test_there_is_no_warning_long_before_the_end() -> None:
    assert (
        find_end_warning(Dates(["2026-12-24"]), date.fromordinal(date(2026, 12, 31).toordinal() - 7 * WARN_WEEKS - 1))
        is None
    )
    assert find_end_warning(Weekends(), date(9999, 12, 31)) is None
