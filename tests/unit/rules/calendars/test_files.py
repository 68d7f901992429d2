"""Dates from the text of CSV and iCalendar files."""

from __future__ import annotations

from datetime import date

import pytest

from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.rules.calendars.date_files import read_csv_dates, read_ics_dates


@pytest.mark.parametrize(
    "text",
    [
        "2026-05-01\n2026-12-24\n",
        "date\n2026-05-01\n2026-12-24",
        'why,Date,by\n"Labour, day",2026-05-01,x\nEve, 2026-12-24,\n',
        "\ufeff2026-05-01;not read\n".replace(";", ",") + "\n# a word\n,,\n2026-12-24,Eve\r\n",
    ],
)
def test_a_csv_lists_a_date_a_line_in_its_date_column_or_its_first(text: str) -> None:
    assert read_csv_dates(text, "x.csv") == [date(2026, 5, 1), date(2026, 12, 24)]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("2026-05-01\n24.12.2026\n", "x.csv, line 2: '24.12.2026' is not a date; write it as YYYY-MM-DD"),
        (
            "day,why\n2026-05-01,x\n",
            "x.csv, line 1: 'day' is not a date.*or in the column that the first line names 'date'",
        ),
        ("why,date\nx\n", "x.csv, line 2: '' is not a date"),
        ("date\n\n\n2026-02-30\n", "x.csv, line 4: '2026-02-30' is not a date"),
    ],
)
def test_a_bad_row_names_file_and_line(text: str, says: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=says):
        read_csv_dates(text, "x.csv")


def _ics(*lines: str) -> str:
    return "\r\n".join(["BEGIN:VCALENDAR", "VERSION:2.0", "BEGIN:VEVENT", *lines, "END:VEVENT", "END:VCALENDAR", ""])


@pytest.mark.parametrize(
    ("lines", "days"),
    [
        (["DTSTART;VALUE=DATE:20260501"], ["2026-05-01"]),
        (
            ["DTSTART;VALUE=DATE:20261224", "DTEND;VALUE=DATE:20261227", "SUMMARY:Christmas"],
            ["2026-12-24", "2026-12-25", "2026-12-26"],
        ),
        (["DTSTART:20261224", "DURATION:P1W"], [f"2026-12-{day}" for day in range(24, 31)]),
        (["DTSTART;VALUE=DATE:20240229", "RRULE:FREQ=YEARLY;UNTIL=20291231T000000Z"], ["2024-02-29", "2028-02-29"]),
        (
            ["DTSTART;VALUE=DATE:20250704", "RRULE:FREQ=YEARLY;COUNT=2", "DTEND;VALUE=DATE:20250705"],
            ["2025-07-04", "2026-07-04"],
        ),
        (
            ["DTSTART;VALUE=DATE:20251127", "RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=4TH;COUNT=2"],
            ["2025-11-27", "2026-11-26"],
        ),
        (
            ["DTSTART;VALUE=DATE:20250101", "RRULE:FREQ=YEARLY", "EXDATE;VALUE=DATE:20260101"],
            ["2025-01-01", "2027-01-01"],
        ),
        (["DTSTART;VALUE=DATE:20260501", "STATUS:CANCELLED"], []),
        (["SUMMARY:A name that goes", "  over two lines", "DTSTART;VALUE=", " DATE:20260501"], ["2026-05-01"]),
    ],
)
def test_all_day_events_are_days_off(lines: list[str], days: list[str]) -> None:
    assert read_ics_dates(_ics(*lines), "x.ics", until=date(2027, 12, 31)) == [date.fromisoformat(day) for day in days]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            _ics("DTSTART:20260501T090000Z"),
            "x.ics, line 4: DTSTART is 20260501T090000Z, a time of day; only events of whole days",
        ),
        (_ics("DTSTART;VALUE=DATE:20260231"), "x.ics, line 4: DTSTART is '20260231', which is not a date"),
        (_ics("SUMMARY:x"), "x.ics, line 3: this event has no DTSTART"),
        (
            _ics("DTSTART:20260501", "DTEND:20260430"),
            "x.ics, line 5: this event ends on 20260430 and begins on 2026-05-01",
        ),
        (_ics("DTSTART:20260501", "DURATION:PT12H"), "x.ics, line 5: the duration PT12H is not a number of whole days"),
        (_ics("DTSTART:20260501", "RRULE:FREQ=WEEKLY"), r"x.ics, line 5: only events that repeat each year"),
        (_ics("DTSTART:20260501", "RRULE:FREQ=YEARLY"), "x.ics, line 5: this event has no end; give with until="),
        (
            _ics("DTSTART:20260501", "RRULE:FREQ=YEARLY;COUNT=x"),
            "x.ics, line 5: the rule FREQ=YEARLY;COUNT=x is not valid",
        ),
        (_ics("DTSTART:20260501", "RDATE:20260601"), "x.ics, line 5: RDATE is not supported"),
        ("2026-05-01\n", "x.ics has no BEGIN:VCALENDAR; give an iCalendar file, or a CSV file"),
    ],
)
def test_an_event_that_is_not_a_day_off_raises_with_file_line_and_remedy(text: str, says: str) -> None:
    with pytest.raises(AirflowTimetableInvalid, match=says):
        read_ics_dates(text, "x.ics")
