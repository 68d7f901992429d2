"""Calendars for property tests, and what they answer by brute force."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import strategies as st

from gnomon.calendars import Calendar, Country, Dates, Difference, Exchange, Named, Union, Weekends, Working
from gnomon.rules.calendars.exchange import summarize_sessions

FIRST, LAST = date(2024, 1, 1), date(2026, 12, 31)
"""What the calendars made here cover at least."""
DAY = timedelta(1)

days = st.dates(FIRST, LAST)
inner_days = st.dates(FIRST + 90 * DAY, LAST - 90 * DAY)
"""Far enough from the ends for every question."""

_weekends = st.sets(st.integers(0, 6), min_size=1, max_size=3).map(lambda numbers: Weekends(*numbers))
_dates = st.sets(days, max_size=25).map(lambda chosen: Dates(chosen, since=FIRST, until=LAST))
_countries = st.sampled_from(
    [Country("US"), Country("AE"), Country("CN"), Country("DE", "BY"), Country("CH", "ZH", weekend=())]
)
_exchanges = st.sets(days, max_size=25).map(
    lambda closed: Exchange(
        "XTST",
        sessions=summarize_sessions(
            day
            for number in range((LAST - FIRST).days + 1)
            if (day := FIRST + number * DAY) in (FIRST, LAST) or (day.weekday() < 5 and day not in closed)
        ),
    )
)
plain = st.one_of(_weekends, _dates, _countries, _exchanges)
calendars: st.SearchStrategy[Calendar] = st.recursive(
    plain,
    lambda parts: st.one_of(
        st.tuples(parts, parts).map(lambda pair: Union(*pair)),
        st.tuples(parts, _dates).map(lambda pair: Difference(*pair)),
        st.tuples(parts, st.sets(days, max_size=5)).map(lambda pair: Working(*pair)),
        parts.map(lambda part: Named("some", part)),
    ),
    max_leaves=4,
)
"""Any kind, and what is made of them; each covers FIRST to LAST and has business days."""


def walked(calendar: Calendar, start: date, end: date) -> list[date]:
    """The business days from `start` to `end`, both inclusive, one day after the other."""
    return [day for number in range((end - start).days + 1) if calendar.is_business_day(day := start + number * DAY)]
