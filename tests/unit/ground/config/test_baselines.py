"""`[baselines.NAME]` in gnomon.toml: what is read, and the sentence for each mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from gnomon.ground.config import OptionError
from gnomon.ground.config.baselines import read_baselines

WHOLE = """
[core]
parallelism = 4

[baselines.morning]
of = ["report", "load.publish"]
by = "07:00 +1 day"
timezone = "Europe/Berlin"
margin = "15m"
at_risk = 0.3
weekdays = ["mon", "fri"]
owner = "finance"
calendar = "work"
to = "ops"

[calendars.work]
country = "DE"

[alerts.channels.ops]
type = "webhook"
url = "https://chat.example/"

[baselines.noon]
of = "report"
by = "12:00"
"""


def _read(home: Path, text: str) -> object:
    (home / "gnomon.toml").write_text(text)
    return read_baselines(home, "utc")


def test_all_keys_act_and_a_home_without_a_file_has_none(tmp_path: Path) -> None:
    assert read_baselines(tmp_path, "UTC") == ()
    first, second = _read(tmp_path, WHOLE)  # type: ignore[misc]
    assert (first.name, first.of, first.by, first.days) == ("morning", ("report", "load.publish"), "07:00", 1)
    assert (first.timezone, first.margin_s, first.at_risk, first.weekdays) == ("Europe/Berlin", 900.0, 0.3, (0, 4))
    assert (first.owner, first.calendar, first.to) == ("finance", "work", ("ops",))
    assert first.place.endswith("gnomon.toml, line 6")
    assert (second.of, second.timezone, second.at_risk) == (("report",), "UTC", 0.2)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('by = "07:00"', "promises nothing; add of ="),
        ('of = "r"', "by is None; write a time of day"),
        ('of = "r"\nby = "7"', "by is '7'"),
        ('of = "r"\nby = "24:00"', "by is '24:00'"),
        ('of = "r"\nby = "07:00 +8 days"', "at most 7 days"),
        ('of = "r"\nby = "07:00"\nmargin = "2d"', "longer than a day"),
        ('of = "r"\nby = "07:00"\nmargin = "soon"', "margin is 'soon'"),
        ('of = "r"\nby = "07:00"\ntimezone = "Berlin"', "timezone is 'Berlin'"),
        ('of = "r"\nby = "07:00"\nat_risk = 1', "a probability between 0 and 1"),
        ('of = "r"\nby = "07:00"\nat_risk = true', "a probability between 0 and 1"),
        ('of = "r"\nby = "07:00"\nweekdays = ["monday"]', "weekdays has 'monday'"),
        ('of = "r"\nby = "07:00"\nowner = 3', "owner must be a text"),
        ('of = "r"\nby = "07:00"\nmargn = "1m"', "did you mean margin?"),
        ('of = "r"\nby = "07:00"\ncalendar = 3', "calendar must be a text"),
        ('of = "r"\nby = "07:00"\ncalendar = "work"', "there is no calendar 'work'; add a table [calendars.work]"),
        ('of = "r"\nby = "07:00"\nto = "ops"', "there is no channel 'ops'; add a table [alerts.channels.ops]"),
        ('of = "r"\nby = "07:00"\ncalendar = "wrk"\n[calendars.work]', "did you mean 'work'?"),
        ("of = 3\nby = 3", "of must be a text or a list of texts"),
    ],
)
def test_a_mistake_names_file_line_and_remedy(tmp_path: Path, lines: str, told: str) -> None:
    with pytest.raises(OptionError) as error:
        _read(tmp_path, f"[baselines.morning]\n{lines}\n")
    assert told in str(error.value)
    assert f"{tmp_path}/gnomon.toml" in str(error.value)


@pytest.mark.parametrize("text", ["baselines = 3", "[baselines]\nmorning = 3", '[baselines."a b"]\nof="r"\nby="07:00"'])
def test_something_else_than_tables_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(OptionError, match=r"baselines must consist of tables|is not usable"):
        _read(tmp_path, text)
