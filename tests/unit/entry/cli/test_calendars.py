"""`gnomon calendars`, and what DAGs say of a calendar that ends."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.calendars import Dates, Named, Weekends
from gnomon.entry.cli.deployment.home import Home
from gnomon.model.instants import to_datetime
from gnomon.timetables import BusinessDays, reference

TABLES = """
[calendars.us]
country = "US"

[calendars.firm]
dates = ["2024-12-24"]
working_days = ["2024-12-07"]

[calendars.both]
union = ["us", "firm"]

[calendars.broken]
country = "Germny"
"""


@pytest.fixture
def tables(empty_home: Home) -> None:
    empty_home.cfg.home.mkdir(exist_ok=True)
    (empty_home.cfg.home / "gnomon.toml").write_text(TABLES)


@pytest.mark.usefixtures("tables")
def test_list_shows_every_calendar_and_what_is_wrong_with_it(gnomon: Gnomon) -> None:
    code, out, _ = gnomon("calendars", "list", "-o", "json")
    rows = {row["calendar"]: row for row in json.loads(out)}
    assert (code, list(rows)) == (0, ["us", "firm", "both", "broken"])
    assert rows["both"]["made_of"] == "us | firm"
    assert (rows["both"]["covered_until"], rows["both"]["weekend"]) == ("2024-12-31", ["sat", "sun"])
    assert "did you mean 'DE'" in rows["broken"]["error"] and rows["us"]["error"] is None
    assert gnomon("calendars", "list").out.count("\n") == 6


def test_list_without_calendars_says_where_they_go(gnomon: Gnomon) -> None:
    assert "define one in a table such as [calendars.finance]" in gnomon("calendars", "list").out


@pytest.mark.usefixtures("tables")
def test_show_lists_the_days_off_of_a_year(gnomon: Gnomon) -> None:
    detail = json.loads(gnomon("calendars", "show", "both", "--year", "2024", "-o", "json").out)
    assert {"day": "2024-11-28", "weekday": "thu", "why": "Thanksgiving Day"} in detail["days_off"]
    assert {"day": "2024-12-24", "weekday": "tue", "why": "[calendars.firm]"} in detail["days_off"]
    assert detail["business_days"] == 262 - len(detail["days_off"])
    firm = json.loads(gnomon("calendars", "show", "firm", "--year", "2024", "-o", "json").out)
    assert firm["worked"] == [{"day": "2024-12-07", "weekday": "sat", "why": "worked"}]
    code, out, _ = gnomon("calendars", "show", "us", "--year", "2024")
    assert code == 0 and "days off other than weekends" in out and "Thanksgiving Day" in out


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["bath"], "there is no calendar 'bath' in"),
        (["both", "--year", "2031"], "calendar 'both' has no data for 2031: it covers 2024-01-01 to 2024-12-31"),
        (["broken"], "line 13: [calendars.broken]"),
    ],
)
def test_show_says_what_is_wrong(arguments: list[str], says: str, gnomon: Gnomon) -> None:
    code, out, err = gnomon("calendars", "show", *arguments)
    assert (code, out) == (1, "")
    assert says in err


def test_a_calendar_that_ends_soon_is_told_wherever_its_dag_is_looked_at(
    gnomon: Gnomon, deployment: Deployment, home: Home
) -> None:
    today = to_datetime(home.clock.now()).date()
    ends = Named("finance", Weekends() | Dates([], since="2020-01-01", until=today.replace(day=28)))
    later = Named("later", Weekends() | Dates([], since="2020-01-01", until=today.replace(year=today.year + 3, day=28)))
    deployment.add(
        spec_of("reports", timetable=reference(BusinessDays(ends))),
        spec_of("other", timetable=reference(BusinessDays(later))),
    )
    told = f"calendar finance knows its days up to {today.replace(day=28)}"
    rows = {row["dag_id"]: row["warnings"] for row in json.loads(gnomon("dags", "list", "-o", "json").out)}
    assert told in rows["reports"][0] and rows["other"] == []
    assert f"reports: {told}" in gnomon("dags", "list").err
    assert told in gnomon("dags", "show", "reports").out
    assert told in gnomon("explain", "reports").out
