"""Named calendars of gnomon.toml: what a table means, and what its mistakes say."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from gnomon import DAG, calendar, dates_file
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.calendars import decode
from gnomon.ground.config import OptionError, load_config, set_current_config
from gnomon.model.errors.timetable import AirflowTimetableInvalid
from gnomon.timetables import BusinessDays, CronTriggerTimetable, EventsTimetable
from gnomon.timetables import build as built

Written = Callable[[str], Path]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Path]:
    """An empty home, which is that of this process meanwhile."""
    set_current_config(load_config({}, home=tmp_path))
    yield tmp_path
    set_current_config(None)


@pytest.fixture
def written(home: Path) -> Written:
    """Writes the home's gnomon.toml."""

    def write(text: str) -> Path:
        (home / "gnomon.toml").write_text(text)
        return home

    return write


def test_a_country_has_its_holidays_and_its_own_weekend(written: Written) -> None:
    written('[calendars.gulf]\ncountry = "SA"\n\n[calendars.us]\ncountry = "US"\nsubdivision = "CA"\nweekend = []\n')
    assert not calendar("gulf").is_business_day(date(2026, 11, 20))  # a Friday
    assert calendar("gulf").is_business_day(date(2026, 11, 22))  # a Sunday
    assert calendar("us").is_business_day(date(2026, 11, 22))
    assert not calendar("us").is_business_day(date(2026, 11, 26))


def test_own_dates_are_off_besides_saturday_and_sunday(written: Written) -> None:
    home = written('[calendars.firm]\ndates_file = "closed.csv"\ndates = [2026-12-24]\nworking_days = ["2026-12-05"]\n')
    (home / "closed.csv").write_text("date,why\n2026-05-04,spring cleaning\n")
    firm = calendar("firm")
    assert [firm.is_business_day(date(2026, *day)) for day in ((5, 4), (5, 5), (5, 9), (12, 24), (12, 5))] == [
        False,
        True,
        False,
        False,
        True,
    ]
    assert (firm.first_day, firm.last_day) == (date(2026, 1, 1), date(2026, 12, 31))


def test_a_union_is_off_where_any_part_is_and_minus_takes_days_off_away(written: Written) -> None:
    written(
        '[calendars.us]\ncountry = "US"\n[calendars.firm]\ndates = [2026-12-24]\n'
        "[calendars.worked]\ndates = [2026-11-11]\nweekend = []\n"
        '[calendars.both]\nunion = ["us", "firm"]\nminus = ["worked"]\n'
    )
    both = calendar("both")
    days = {(11, 26): False, (12, 24): False, (11, 11): True, (11, 21): False, (11, 23): True}
    assert {day: both.is_business_day(date(2026, *day)) for day in days} == days
    assert decode(both.encode()) == both


def test_a_dag_takes_a_calendar_by_name_and_stores_what_it_means(written: Written) -> None:
    written("[calendars.firm]\ndates = [2026-12-24]\n")
    for timetable in (
        BusinessDays("firm", at="06:00"),
        CronTriggerTimetable("0 6 * * *", timezone="UTC", calendar="firm", on_holiday="next"),
    ):
        with DAG("reports", schedule=timetable, start_date=datetime(2026, 1, 1, tzinfo=UTC)) as dag:
            pass
        ref = build_dag_spec(dag, "reports.py").spec.timetable
        assert ref.data["calendar"]["name"] == "firm"  # type: ignore[index,call-overload]
        again = built(ref)
        found = [
            moment.day
            for moment in again.slots_between(datetime(2026, 12, 22, tzinfo=UTC), datetime(2026, 12, 29, tzinfo=UTC))
        ]
        assert found == [22, 23, 25, 28]
    assert "business days of firm" in again.summary


def test_a_timetable_that_no_dag_has_taken_says_that_its_calendar_was_not_looked_up() -> None:
    with pytest.raises(AirflowTimetableInvalid, match="calendar 'firm' was not looked up: give the timetable to a DAG"):
        list(BusinessDays("firm").slots_between(datetime(2026, 1, 1, tzinfo=UTC), datetime(2026, 2, 1, tzinfo=UTC)))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '[calendars.finanse]\ncountry = "US"\n',
            r"there is no calendar 'finance' in .*gnomon.toml; did you mean 'finanse'\?",
        ),
        ("", r"there is no calendar 'finance' in .*gnomon.toml; write it below a line \[calendars.finance\]"),
        (
            '[calendars.finance]\ncountry = "Germny"\n',
            r"gnomon.toml, line 2: \[calendars.finance\] .* no country 'Germny'; did you mean 'DE' \(germany\)\?",
        ),
        (
            '[calendars.finance]\ncountry = "US"\nsubdivision = "Californa"\n',
            r"line 3: \[calendars.finance\] US has no subdivision 'Californa'; did you mean 'CA'\?",
        ),
        ('[calendars.finance]\nsubdivision = "CA"\n', r"line 2: subdivision in \[calendars.finance\] needs country"),
        (
            '[calendars.finance]\ncontry = "US"\n',
            r"line 2: \[calendars.finance\] has no contry; did you mean country\?",
        ),
        (
            '[calendars.finance]\ndates = ["2026-02-30"]\n',
            r"line 2: .*'2026-02-30' is not a date; write it as YYYY-MM-DD",
        ),
        ("[calendars.finance]\ndates = []\n", r"line 2: .*is empty; add a date, or give with until="),
        (
            '[calendars.finance]\ndates = ["2026-05-01"]\nuntil = "2025-12-31"\n',
            r"ends on 2025-12-31 before it begins on 2026-01-01; correct",
        ),
        ('[calendars.finance]\ndates_file = "gone.csv"\n', r"line 2: .*the file .*gone.csv does not exist"),
        (
            '[calendars.finance]\ndates_file = "bad.csv"\n',
            r"bad.csv, line 3: '31.12.2026' is not a date; write it as YYYY-MM-DD",
        ),
        ('[calendars.finance]\nweekend = ["satday"]\n', r"line 2: .*'satday' is not a weekday; write mon, tue"),
        ("[calendars.finance]\nweekend = []\n", r"line 2: \[calendars.finance\] has no day off"),
        ('[calendars.finance]\nexchange = "XNYX"\n', r"line 2: .*has no exchange 'XNYX'; did you mean '"),
        (
            '[calendars.finance]\nunion = ["us"]\n',
            r"\[calendars.finance\] names the calendar 'us', and there is no calendar 'us'",
        ),
        (
            '[calendars.finance]\nunion = ["a"]\n[calendars.a]\nunion = ["b"]\n[calendars.b]\nminus = ["a"]\n',
            r"the calendars a -> b -> a are made of one another",
        ),
        (
            '[calendars.finance]\ncountry = "US"\nminus = ["a"]\n[calendars.a]\ndates = ["2026-05-01"]\n',
            r"line 3: \[calendars.finance\] minus 'a' would make every sat, sun a working day.*weekend = \[\] in \[calendars.a\]",
        ),
        ("[calendars]\nfinance = 3\n", r"finance = 3 is directly in \[calendars\]; write it below a line such as"),
        ("calendars = 3\n", r"calendars is 3; write each calendar below"),
        ("[calendars.finance\n", r"is not valid TOML"),
    ],
)
def test_a_mistake_names_the_calendar_the_line_and_the_remedy(written: Written, text: str, says: str) -> None:
    home = written(text)
    (home / "bad.csv").write_text("date,why\n2026-05-01,x\n31.12.2026,y\n")
    with pytest.raises(OptionError, match=says):
        calendar("finance")


def test_calendars_are_no_options_and_options_are_no_calendars(written: Written) -> None:
    home = written('[core]\nparallelism = 8\n[calendars.firm]\ncountry = "US"\n')
    assert load_config({}, home=home).integer("core", "parallelism") == 8
    assert calendar("firm").name == "firm"


def test_a_file_beside_the_dag_files_gives_plain_dates(home: Path) -> None:
    (home / "dags").mkdir()
    (home / "dags" / "closed.ics").write_text(
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART;VALUE=DATE:20261224\nDTEND;VALUE=DATE:20261227\nEND:VEVENT\nEND:VCALENDAR\n"
    )
    closed = dates_file("closed.ics", until="2027-01-31")
    assert [day for day in range(20, 32) if not closed.is_business_day(date(2026, 12, day))] == [24, 25, 26]
    assert closed.last_day == date(2027, 1, 31)
    with pytest.raises(AirflowTimetableInvalid, match="the file .*opened.csv does not exist"):
        dates_file("opened.csv")


def test_timetables_without_calendars_are_left_as_they_are() -> None:
    events = EventsTimetable([datetime(2026, 1, 1, tzinfo=UTC)])
    with DAG("events", schedule=events) as dag:
        pass
    assert dag.timetable is events
