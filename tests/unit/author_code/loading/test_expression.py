"""An expression means what `schedule=` would take, and each mistake is marked at its place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gnomon.author_code.loading.expression import evaluate
from gnomon.ground.config import load_config, set_current_config
from gnomon.model.errors import UserError
from gnomon.model.sentences import render
from gnomon.rules.timetables.stored_words import summarize_timetable

PLUGIN = """
from airflow.plugins_manager import AirflowPlugin
from airflow.timetables.simple import OnceTimetable

class Mine(OnceTimetable):
    def __init__(self, at="08:00"):
        self.at = at

    summary = "mine"

    def serialize(self):
        return {"at": self.at}

    @classmethod
    def deserialize(cls, data):
        return cls(**data)

class MinePlugin(AirflowPlugin):
    name = "mine"
    timetables = [Mine]
"""


@pytest.fixture(autouse=True)
def _folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugins folder of this test, and an import path that is as before after it."""
    (tmp_path / "plugins").mkdir()
    (tmp_path / "plugins" / "expression_plugin.py").write_text(PLUGIN)
    set_current_config(load_config({}, tmp_path))
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "expression_plugin", raising=False)


@pytest.mark.parametrize(
    ("text", "path", "summary"),
    [
        ('"0 6 * * 1"', "CronTriggerTimetable", "0 6 * * 1"),
        ("timedelta(hours=5)", "DeltaTriggerTimetable", "5:00:00"),
        ("relativedelta(months=1)", "DeltaTriggerTimetable", "relativedelta(months=+1)"),
        ("None", "NullTimetable", "None"),
        ('CronDataIntervalTimetable("@daily", "Europe/Berlin")', "CronDataIntervalTimetable", "0 0 * * *"),
        (
            'airflow.timetables.trigger.CronTriggerTimetable("0 0 * * *", timezone="UTC")',
            "CronTriggerTimetable",
            "0 0 * * *",
        ),
        ("EventsTimetable([datetime(2024, day, 1, tzinfo=UTC) for day in range(1, 4)])", "EventsTimetable", "3 events"),
        (
            'CronTriggerTimetable("0 0 * * *", timezone=pendulum.timezone("Asia/Tokyo"))',
            "CronTriggerTimetable",
            "0 0 * * *",
        ),
        (
            "gnomon.timetables.BusinessDays(gnomon.calendars.Weekends())",
            "BusinessDays",
            "00:00 on business days of weekdays",
        ),
        ("BusinessDays(calendars.Weekends())", "BusinessDays", "00:00 on business days of weekdays"),
        ("expression_plugin.Mine('09:00')", "expression_plugin.Mine", "mine"),
        ("Mine()", "expression_plugin.Mine", "mine"),
        ("(lambda hours: timedelta(hours=hours))(2)", "DeltaTriggerTimetable", "2:00:00"),
    ],
)
def test_an_expression_is_what_schedule_takes(text: str, path: str, summary: str) -> None:
    ref = evaluate(text=text, zone="Europe/Berlin")
    assert (ref.path, render(summarize_timetable(ref))) == (path, summary)


def test_cron_texts_are_read_in_the_zone() -> None:
    assert evaluate(text="'@daily'", zone="Asia/Tokyo").data["timezone"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("text", "marked", "words"),
    [
        ("Daily('08:00'", "(", "'(' was never closed"),
        ("Daily('08:00') Daily", "Daily", "invalid syntax"),
        ("Dayly('08:00')", "Dayly", "did you mean 'Daily'?"),
        ("qwertz()", "qwertz", "write MODULE.CLASS for a class of the plugins folder"),
        ("Daily(at=1/0)", "1/0", "ZeroDivisionError"),
        ("Daily(tz='UTC')", "Daily(tz='UTC')", "unexpected keyword argument 'tz'; it takes at, timezone,"),
        (
            "Daily(timezon='UTC')",
            "Daily(timezon='UTC')",
            "unexpected keyword argument 'timezon'; did you mean timezone=",
        ),
        ("Daily('25:00')", "Daily('25:00')", "wrong: Daily(at='25:00') is not a time of day"),
        ("BusinessDays('none', at=8)", "BusinessDays('none', at=8)", "wrong: at=8"),
        ("Daily(at=datetime.time(8))", "datetime.time", "write time instead of datetime.time"),
        ("datetime.datetime(2026, 1, 1)", "datetime.datetime", "datetime is the class here, not the module"),
        ("expression_plugin.Yours()", "expression_plugin.Yours", "AttributeError"),
        ("airflow.nope.Thing()", "airflow.nope", "does not exist in Gnomon"),
        ("'0 61 * * *'", "'0 61 * * *'", "out of range"),
        ("1 + 1", "1 + 1", "schedule 2 (int) is not understood"),
        ("Daily(\n  at='08:00',\n  tz=1/0)", "1/0", "ZeroDivisionError"),
        ("Daily(at='ü', tz=1/0)", "1/0", "ZeroDivisionError"),
        ("", "", "invalid syntax"),
    ],
)
def test_a_mistake_is_marked(text: str, marked: str, words: str) -> None:
    with pytest.raises(UserError) as raised:
        evaluate(text=text, zone="UTC")
    *_, line, marks = str(raised.value).split("\n")
    assert words in str(raised.value)
    begin = marks.index("^")
    assert line[begin : begin + marks.count("^")] == marked


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "print('x')",
        "open('/etc/passwd')",
        "[x for x in (1,)]",
        "(lambda: 1)()",
        "'a' * 9",
        "Daily.__class__",
        "f'{1}'",
        " \n exec('1')",
        "pendulum",
        "BusinessDays(Country('DE'), open)",
        *("-" * depth + "print('x')" for depth in (50, 300, 900, 1_900)),
    ],
)
def test_an_expression_that_must_not_run_code_is_refused_before_it_is_evaluated(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UserError):
        evaluate(text=text, zone="UTC", runs_code=False)
    assert capsys.readouterr().out == ""


def test_an_expression_of_values_is_evaluated_although_code_is_refused() -> None:
    text = "BusinessDays(Country('DE'), '06:00')"
    assert evaluate(text=text, zone="UTC", runs_code=False) == evaluate(text=text, zone="UTC")
