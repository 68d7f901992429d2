"""`gnomon timetables`."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, Ended, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.entry.cli.main import main
from gnomon.ground.config import load_config
from gnomon.model.instants import to_instant
from gnomon.model.slots import TimetableRef

NAMES = ("run_id", "run_after", "logical_date", "data_interval_start", "data_interval_end")
BERLIN = ("--timezone", "Europe/Berlin")
MARCH = ("--from", "2026-03-27", "--until", "2026-04-01")
PLUGIN = """
from datetime import timedelta
from airflow.timetables.base import DagRunInfo, DataInterval, Timetable

DAY = timedelta(days=1)

class Daily(Timetable):
    summary = "each day"
    description = "Schedule: each day"

    def infer_manual_data_interval(self, *, run_after):
        end = run_after.replace(hour=0, minute=0, second=0, microsecond=0)
        return DataInterval(end - DAY, end)

    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        if last_automated_data_interval is not None:
            start = last_automated_data_interval.end
        else:
            start = restriction.earliest.replace(hour=0, minute=0, second=0, microsecond=0)
            if start < restriction.earliest:
                start += DAY
        if restriction.latest is not None and start > restriction.latest:
            return None
        return DagRunInfo.interval(start, start + DAY)

class Hangs(Daily):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        while True:
            pass

class Tomorrow(Daily):
    def infer_manual_data_interval(self, *, run_after):
        return DataInterval(run_after, run_after + DAY)
"""


@pytest.fixture
def plugin(empty_home: Home) -> None:
    folder = Path(empty_home.cfg.plugins_folder)
    folder.mkdir(parents=True)
    (folder / "daily_plugin.py").write_text(PLUGIN)


@pytest.mark.pure
def test_preview_of_a_cron_text_shows_runs_by_the_clock_on_the_wall(gnomon: Gnomon) -> None:
    code, out, err = gnomon("timetables", "preview", "30 2 * * *", *BERLIN, *MARCH)
    assert (code, err) == (0, "")
    assert "At 02:30" in out
    assert [line[:27] for line in out.splitlines() if "2026-03-" in line] == [
        "Fri 2026-03-27 02:30 +01:00",
        "Sat 2026-03-28 02:30 +01:00",
        "Sun 2026-03-29 03:30 +02:00",
        "Mon 2026-03-30 02:30 +02:00",
        "Tue 2026-03-31 02:30 +02:00",
    ]


def test_preview_as_json_has_the_names_of_a_run(gnomon: Gnomon) -> None:
    target = 'CronDataIntervalTimetable("@daily", "America/New_York")'
    records = json.loads(
        gnomon("timetables", "preview", target, "--from", "2026-03-08T12:00:00Z", "--count", "2", "-o", "json").out
    )
    assert records[0] == {
        "run_id": "scheduled__2026-03-09T04:00:00+00:00",
        "run_after": "2026-03-09T04:00:00.000000+00:00",
        "logical_date": "2026-03-08T05:00:00.000000+00:00",
        "data_interval_start": "2026-03-08T05:00:00.000000+00:00",
        "data_interval_end": "2026-03-09T04:00:00.000000+00:00",
    }
    assert [tuple(record) for record in records] == [NAMES, NAMES]


@pytest.mark.pure
def test_preview_without_a_window_begins_now_and_shows_ten(gnomon: Gnomon) -> None:
    records = json.loads(gnomon("timetables", "preview", "@hourly", "-o", "json").out)
    assert len(records) == 10
    assert records[0]["run_after"] == "2026-03-01T09:00:00.000000+00:00"


def test_preview_of_a_dag_stays_in_its_bounds_and_goes_on_from_its_last_run(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    begin, end = (to_instant(datetime.fromisoformat(text)) for text in ("2026-03-01T11:30:00Z", "2026-03-01T14:00:00Z"))
    deployment.add(spec_of("hourly", timetable=HOURLY, start_at=begin, end_at=end))
    records = json.loads(gnomon("timetables", "preview", "hourly", "-o", "json").out)
    assert [record["run_after"][11:13] for record in records] == ["12", "13", "14"]


def test_preview_of_a_dag_by_span_keeps_its_phase(gnomon: Gnomon, deployment: Deployment) -> None:
    every7 = TimetableRef(path="DeltaTriggerTimetable", data={"delta": 7 * 3600.0, "interval": 0.0}, summary="7:00:00")
    deployment.add(
        spec_of("every7", timetable=every7, start_at=to_instant(datetime.fromisoformat("2026-01-01T00:30:00Z")))
    )
    records = json.loads(gnomon("timetables", "preview", "every7", "--count", "3", "-o", "json").out)
    moments = [datetime.fromisoformat(record["run_after"]) for record in records]
    assert all(
        (moment - datetime.fromisoformat("2026-01-01T00:30:00Z")).total_seconds() % (7 * 3600) == 0
        for moment in moments
    )
    assert moments[0] >= datetime.fromisoformat("2026-03-01T09:00:00Z")


def test_a_schedule_that_never_runs_says_so(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("by_hand"))
    assert "this schedule is not based on time" in gnomon("timetables", "preview", "by_hand").out
    assert json.loads(gnomon("timetables", "preview", "by_hand", "-o", "json").out) == []


@pytest.mark.pure
def test_a_calendar_file_is_as_the_standard_has_it_and_always_the_same(gnomon: Gnomon) -> None:
    command = ("timetables", "preview", "30 2 * * *", *BERLIN, *MARCH, "-o", "ics")
    out = gnomon(*command).out
    lines = out.split("\r\n")
    assert out.replace("\r\n", "").count("\n") == 0
    assert lines[0] == "BEGIN:VCALENDAR" and lines[-2:] == ["END:VCALENDAR", ""]
    assert max(len(line.encode()) for line in lines) <= 75
    assert lines.count("BEGIN:VEVENT") == lines.count("END:VEVENT") == 5
    assert len({line for line in lines if line.startswith("UID:")}) == 5
    assert "DTSTART:20260329T013000Z" in lines
    assert gnomon(*command).out == out


@pytest.mark.pure
def test_a_picture_is_well_formed_and_marks_each_day(gnomon: Gnomon) -> None:
    out = gnomon(
        "timetables", "preview", "*/5 * * * *", *BERLIN, "--from", "2026-03-15", "--until", "2026-04-10", "-o", "svg"
    ).out
    assert ET.fromstring(out).tag == "{http://www.w3.org/2000/svg}svg"
    assert (
        "<title>2026-03-29: 276 runs: 00:00, 00:05, 00:10, 00:15, 00:20, 00:25 and 270 more; the clock goes forward by 60 min</title>"
        in out
    )
    assert out.count(" runs: ") == 26
    assert (
        "March 2026" in out
        and "April 2026" in out
        and "prefers-color-scheme:dark" in out
        and "http://" not in out.replace("http://www.w3.org", "")
    )


@pytest.mark.pure
def test_months_lie_beside_one_another_on_every_width(gnomon: Gnomon) -> None:
    out = gnomon("timetables", "preview", "@daily", "--from", "2026-01-01", "-o", "svg").out
    for rule in re.findall(r"@media \(min-width:[^{]+\{(svg.*?\))\}\}\n", out):
        places = {(int(x), int(y)) for x, y in re.findall(r"\.m\d+\{transform:translate\((\d+)px,(\d+)px\)", rule)}
        assert len(places) == 12
        xs, ys = (sorted({place[axis] for place in places}) for axis in (0, 1))
        assert all(two - one >= 175 for one, two in pairwise(xs)) and all(two - one >= 200 for one, two in pairwise(ys))


def test_words_of_a_person_are_escaped_in_the_picture(gnomon: Gnomon) -> None:
    target = 'EventsTimetable([datetime(2026, 3, 2, tzinfo=UTC)], description="</title><script>&\x07")'
    out = gnomon("timetables", "preview", target, "--until", "2026-04-01", "-o", "svg").out
    assert ET.fromstring(out).tag.endswith("svg")
    assert "<script" not in out


@pytest.mark.pure
def test_a_window_too_long_for_a_picture_says_what_to_do(gnomon: Gnomon) -> None:
    code, _, err = gnomon("timetables", "preview", "@yearly", "--until", "2046-01-01", "-o", "svg")
    assert code == 1 and "give an earlier --until" in err


@pytest.mark.parametrize(
    ("target", "marks", "words"),
    [
        ('CronTriggerTimetable("@daily"', "                    ^", "'(' was never closed"),
        ('CronTrigerTimetable("@daily")', "^^^^^^^^^^^^^^^^^^^", "did you mean 'CronTriggerTimetable'?"),
    ],
)
def test_a_mistake_in_an_expression_is_marked(target: str, marks: str, words: str, gnomon: Gnomon) -> None:
    code, out, err = gnomon("timetables", "preview", target)
    assert (code, out) == (1, "")
    assert words in err and "Traceback" not in err
    assert err.splitlines()[-2:] == [f"    {target}", f"    {marks}"]


def test_a_wrong_cron_text_or_dag_id_is_told_in_one_line(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("etl_daily"))
    assert "the hour field, '25', is out of range" in gnomon("timetables", "preview", "0 25 * * *").err
    assert (
        gnomon("timetables", "preview", "etl_dayly").err
        == "gnomon: there is no DAG 'etl_dayly'; did you mean 'etl_daily'?\n"
    )
    assert "has 4 fields" in gnomon("timetables", "preview", "0 0 * *").err
    assert "TARGET is empty" in gnomon("timetables", "preview", " ").err
    assert "write OnceTimetable()" in gnomon("timetables", "preview", "OnceTimetable").err
    assert gnomon("timetables", "preview", "Daily()", "--timezone", "Mars").err.startswith(
        "gnomon: Time zone 'Mars' is not known"
    )
    code, _, err = gnomon("timetables", "preview", "@daily", "--until", "2020-01-01")
    assert code == 1 and "the window is empty" in err


def test_a_dag_without_runs_in_the_window_says_when_it_has_some(gnomon: Gnomon, deployment: Deployment) -> None:
    ended = to_instant(datetime.fromisoformat("2026-01-03T00:00:00+00:00"))
    deployment.add(spec_of("ended", timetable=HOURLY, start_at=ended - 86_400_000_000, end_at=ended))
    bounds = "no runs in this window; the DAG's start_date and end_date allow runs only from Fri 2026-01-02 00:00 +00:00 to Sat 2026-01-03 00:00 +00:00\n"
    assert gnomon("timetables", "preview", "ended").out.endswith(bounds)
    assert gnomon("timetables", "diff", "ended", "@daily").out.endswith(f"ended: {bounds}")


@pytest.mark.usefixtures("plugin")
def test_a_class_of_the_plugins_folder_is_asked_beside_its_code(gnomon: Gnomon) -> None:
    code, out, _ = gnomon(
        "timetables", "preview", "daily_plugin.Daily()", "--from", "2026-03-01T12:00:00Z", "--count", "1", "-o", "json"
    )
    assert code == 0
    assert [(run["logical_date"][:10], run["run_after"][:10]) for run in json.loads(out)] == [
        ("2026-03-01", "2026-03-02")
    ]


@pytest.mark.usefixtures("plugin")
def test_a_timetable_that_hangs_is_named_with_its_method(
    tmp_path: Path, empty_home: Home, capsys: pytest.CaptureFixture[str]
) -> None:
    impatient = load_config({"GNOMON__SCHEDULER__TIMETABLE_TIMEOUT": "0.5"}, tmp_path / "home")
    code = main(["timetables", "check", "daily_plugin.Hangs()"], obj=Home(impatient, empty_home.clock))
    ended = Ended(code, *capsys.readouterr())
    assert ended.code == 1
    assert "Hangs.next_dagrun_info did not answer within 0.5 s" in ended.err and "daily_plugin.py, line" in ended.err


@pytest.mark.usefixtures("plugin")
def test_check_shows_the_smallest_example_and_how_to_repeat_it(gnomon: Gnomon) -> None:
    code, out, err = gnomon("timetables", "check", "daily_plugin.Tomorrow()", "--cases", "10")
    assert (code, err) == (1, "")
    assert "manual_past: the data interval of a manual run does not end in the future" in out
    assert re.search(r"timetable\.infer_manual_data_interval\(run_after=datetime\(\d{4}, 1, 1, tzinfo=UTC\)\)", out)
    assert "from daily_plugin import Tomorrow" in out and "timetable = Tomorrow.deserialize({})" in out


@pytest.mark.pure
def test_check_of_what_keeps_all_laws_is_exit_code_0(gnomon: Gnomon) -> None:
    code, out, _ = gnomon("timetables", "check", "30 2 * * *", *BERLIN, "--cases", "10")
    assert (code, out) == (0, "30 2 * * * keeps all 12 laws, in 10 cases of each (seed 0)\n")
    assert gnomon("timetables", "check", "@daily", "--cases", "5", "-o", "json") == (0, "[]\n", "")


@pytest.mark.pure
def test_diff_counts_what_is_gained_lost_moved_and_the_same(gnomon: Gnomon) -> None:
    window = ("--from", "2026-03-02", "--until", "2026-03-09")  # Monday to Sunday
    code, out, _ = gnomon("timetables", "diff", "30 2 * * 1-5", "0 4 * * 1,3,5,6", *window)
    assert code == 0
    assert out.splitlines()[0] == "5 runs before, 4 runs after: 1 gained, 2 lost, 3 moved, 0 the same"
    record = json.loads(gnomon("timetables", "diff", "30 2 * * 1-5", "0 4 * * 1,3,5,6", *window, "-o", "json").out)
    assert [len(record[name]) for name in ("gained", "lost", "moved", "redefined")] == [1, 2, 3, 0]
    assert record["moved"][0]["by_seconds"] == 5400.0 and tuple(record["gained"][0]) == NAMES
    assert record["from"] == "2026-03-02T00:00:00.000000+00:00"


@pytest.mark.pure
def test_diff_of_equal_schedules_is_empty_and_looks_a_year_ahead(gnomon: Gnomon) -> None:
    assert (
        gnomon("timetables", "diff", "0 0 * * *", "@daily").out
        == "365 runs before, 365 runs after: 0 gained, 0 lost, 0 moved, 365 the same\n"
    )


def test_diff_of_a_dag_and_an_expression_is_within_the_bounds_of_the_dag(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    end = to_instant(datetime.fromisoformat("2026-03-01T12:00:00Z"))
    deployment.add(
        spec_of(
            "hourly", timetable=HOURLY, start_at=to_instant(datetime.fromisoformat("2026-03-01T00:00:00Z")), end_at=end
        )
    )
    out = gnomon("timetables", "diff", "hourly", "*/30 * * * *").out
    assert out.splitlines()[0] == "4 runs before, 7 runs after: 3 gained, 0 lost, 0 moved, 4 the same"


@pytest.mark.pure
def test_diff_draws_what_changes(gnomon: Gnomon) -> None:
    out = gnomon("timetables", "diff", "30 2 * * 1-5", "0 4 * * 1,3,5,6", "--until", "2026-04-01", "-o", "svg").out
    assert ET.fromstring(out).tag.endswith("svg")
    assert "gained: Sat 2026-03-07 04:00 +00:00" in out
    assert "moved: Mon 2026-03-02 02:30 +00:00 becomes 04:00" in out


def test_where_a_calendar_ends_the_runs_up_to_there_are_shown_and_the_end_is_told(gnomon: Gnomon) -> None:
    target = 'BusinessDays(Dates(["2026-03-05"], since="2026-01-01", until="2026-03-10"))'
    code, out, err = gnomon("timetables", "preview", target, "--until", "2026-04-01", "-o", "json")
    assert code == 1 and "the runs after these are not known" in err and "2026-03-11" in err
    assert [run["run_after"][:10] for run in json.loads(out)][-1] == "2026-03-10"
    code, out, err = gnomon("timetables", "diff", target, "@daily", "--until", "2026-04-01")
    assert code == 1 and "the runs after 2026-03-10" in err
    assert out.startswith("8 runs before, 9 runs after: 1 gained")
    assert ET.fromstring(
        gnomon("timetables", "preview", target, "--until", "2026-04-01", "-o", "svg").out
    ).tag.endswith("svg")


@pytest.mark.pure
def test_runs_beyond_what_is_looked_at_are_not_passed_over_in_silence(
    gnomon: Gnomon, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnomon.changes.operations.schedule_targets.RUNS_MAX", 5)
    monkeypatch.setattr("gnomon.entry.cli.timetables.timetable_preview.RUNS_MAX", 5)
    code, out, err = gnomon("timetables", "preview", "@hourly", "--until", "2026-03-02", "-o", "json")
    assert code == 1 and len(json.loads(out)) == 5 and "only the first 5 runs are computed" in err
