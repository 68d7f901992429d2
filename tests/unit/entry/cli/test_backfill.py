"""`gnomon backfill`."""

from __future__ import annotations

import json

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import ParamSpec, TaskSpec
from gnomon.testing import Play

RANGE = ("--from", "2026-02-01", "--to", "2026-02-01T03:00")
CONTINUOUS = TimetableRef(path="ContinuousTimetable", summary="@continuous", periodic=False, active_runs_limit=1)
OWN = TimetableRef(path="mine.Mine", summary="Mine", builtin=False, periodic=False)


def _rows(gnomon: Gnomon, *words: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(gnomon(*words, "-o", "json").out)
    return found


def test_a_backfill_is_created_followed_to_its_end_and_listed(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    deployment.start()
    ended = gnomon("backfill", "create", "a", *RANGE, "--wait", "--max-active-runs", "2")
    assert ended.code == 0
    assert ended.out.splitlines()[0] == "created backfill 1 of DAG 'a' with 4 slots"
    assert ended.out.splitlines()[-1] == "backfill 1 is complete: 4 of 4 slots finished: 4 success"
    assert [row["run_type"] for row in _rows(gnomon, "runs", "list", "a") if row["run_id"] != "x"].count(
        "backfill"
    ) == 4
    (row,) = _rows(gnomon, "backfill", "list", "a")
    assert (row["backfill_id"], row["state"], row["success"], row["max_active_runs"]) == (1, "complete", 4, 2)
    assert "4 of 4 slots finished: 4 success" in gnomon("backfill", "show", "1").out


def test_a_failed_run_gives_the_exit_code_1(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    deployment.plays["only"] = Play(1.0, outcome="failed")
    deployment.start()
    assert gnomon("backfill", "create", "a", *RANGE, "--wait").code == 1


def test_airflows_spellings_are_accepted(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    ended = gnomon(
        "backfill",
        "create",
        "--dag-id",
        "a",
        "--from-date",
        "2026-02-01",
        "--to-date",
        "2026-02-02",
        "--reprocess-behavior",
        "failed",
        "--run-backwards",
        "--dag-run-conf",
        '{"k": 1}',
        "--max-active-runs",
        "3",
        "-o",
        "json",
    )
    row = json.loads(ended.out)
    assert {
        name: row[name]
        for name in ("from_date", "reprocess_behavior", "run_backwards", "dag_run_conf", "max_active_runs")
    } == {
        "from_date": "2026-02-01T00:00:00.000000+00:00",
        "reprocess_behavior": "failed",
        "run_backwards": True,
        "dag_run_conf": {"k": 1},
        "max_active_runs": 3,
    }
    assert "no scheduler is alive" in ended.err


def test_a_dry_run_says_what_becomes_of_each_slot_and_changes_nothing(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    assert gnomon("dags", "trigger", "a", "--logical-date", "2026-02-01T01:00:00+00:00", "--run-id", "mine").code == 0
    rows = _rows(gnomon, "backfill", "create", "a", *RANGE, "--reverse", "--dry-run")
    assert [row["effect"] for row in rows] == ["create", "create", "leave (queued)", "create"]
    assert [row["run_id"] for row in rows[1:3]] == ["backfill__2026-02-01T02:00:00+00:00", "mine"]
    assert _rows(gnomon, "backfill", "list") == []


def test_pause_unpause_and_cancel(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), paused=True)
    made = gnomon("backfill", "create", "a", *RANGE)
    assert "DAG 'a' is paused: the runs wait until `gnomon dags unpause a`" in made.err
    assert gnomon("backfill", "pause", "1").out == "paused backfill 1 of DAG 'a'\n"
    assert gnomon("backfill", "pause", "1").out == "backfill 1 of DAG 'a' is paused already\n"
    assert _rows(gnomon, "backfill", "list")[0]["state"] == "paused"
    assert gnomon("backfill", "unpause", "1").out == "unpaused backfill 1 of DAG 'a'\n"
    assert gnomon("backfill", "cancel", "1").out == "cancelled backfill 1 of DAG 'a'\n"
    again = gnomon("backfill", "cancel", "1")
    assert (again.code, again.out) == (1, "")
    assert "was cancelled by cli:" in again.err


@pytest.mark.parametrize(
    ("dag_id", "words", "sentence"),
    [
        (
            "none",
            RANGE,
            "DAG 'none' cannot be backfilled: its schedule is None, which has no times; run it with: gnomon dags trigger none",
        ),
        (
            "always",
            RANGE,
            "DAG 'always' cannot be backfilled: its schedule @continuous starts a run whenever the last one has ended",
        ),
        (
            "own",
            RANGE,
            "DAG 'own' cannot be backfilled: its timetable Mine says periodic = False, so it has no sequence of slots",
        ),
        ("hoursly", RANGE, "there is no DAG 'hoursly'; did you mean 'hourly'?"),
        (
            "hourly",
            ("--from", "2026-02-02", "--to", "2026-02-01"),
            "the range from 2026-02-02T00:00:00Z to 2026-02-01T00:00:00Z ends before it begins; exchange the two dates",
        ),
        (
            "hourly",
            ("--from", "1990-01-01", "--to", "2026-01-01"),
            "more than 100,000 slots from 1990-01-01T00:00:00Z to 2026-01-01T00:00:00Z; choose shorter ranges",
        ),
        (
            "hourly",
            ("--from", "2030-01-01", "--to", "2030-01-02"),
            "that is over at 2026-03-01T09:00:00Z, and the range begins in the future",
        ),
        (
            "hourly",
            ("--from", "2026-02-01T00:10", "--to", "2026-02-01T00:20"),
            "DAG 'hourly' has no slot from 2026-02-01T00:10:00Z",
        ),
        (
            "hourly",
            (*RANGE, "--max-active-runs", "0"),
            "Invalid value for '--max-active-runs': '0' is not an integer from 1 to 2147483647",
        ),
        ("hourly", (*RANGE, "--conf", "[1]"), "must be a JSON object"),
        ("hourly", (*RANGE, "--conf", "{"), "not valid JSON"),
        ("hourly", (*RANGE, "--conf", '{"n": "x"}'), "the conf does not fit the params of DAG 'hourly'"),
        ("hourly", ("--from", "monday", "--to", "2026-02-01"), "'monday' is not a date; write it like 2026-03-01"),
        (
            "chained",
            (*RANGE, "--reverse"),
            "DAG 'chained' cannot run backwards: task 't' depends on the run before (depends_on_past); run it forwards",
        ),
        (
            "timely",
            (*RANGE, "--dry-run"),
            "allows no backfill runs: its allowed_run_types are manual, scheduled; add DagRunType.BACKFILL",
        ),
        ("hourly", (*RANGE, "--dag-id", "hourly"), "name one DAG: gnomon backfill create DAG --from DATE --to DATE"),
    ],
)
def test_what_cannot_be_backfilled_is_refused_with_a_remedy(
    gnomon: Gnomon, deployment: Deployment, dag_id: str, words: tuple[str, ...], sentence: str
) -> None:
    deployment.add(
        spec_of("none"),
        spec_of("always", timetable=CONTINUOUS),
        spec_of("own", timetable=OWN),
        spec_of("hourly", timetable=HOURLY, params={"n": ParamSpec(default=1, schema={"type": "integer"})}),
        spec_of("timely", timetable=HOURLY, allowed_run_types=("manual", "scheduled")),
        spec_of("chained", timetable=HOURLY, tasks=(TaskSpec(task_id="t", depends_on_past=True),)),
    )
    ended = gnomon("backfill", "create", dag_id, *words)
    assert ended.code != 0
    assert sentence in ended.err
    assert "Traceback" not in ended.err
    assert _rows(gnomon, "backfill", "list") == []


def test_a_second_backfill_of_a_dag_names_the_first(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    assert gnomon("backfill", "create", "a", *RANGE).code == 0
    ended = gnomon("backfill", "create", "a", *RANGE)
    assert ended.code == 1
    assert "backfill 1 of this DAG has not ended" in ended.err
    assert "there is no backfill '7'; `gnomon backfill list` lists all backfills" in gnomon("backfill", "show", "7").err


def test_on_a_terminal_a_bar_shows_the_progress_to_the_end(
    gnomon: Gnomon, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gnomon.entry.cli.backfill_progress._is_terminal", lambda: True)
    deployment.add(spec_of("a", timetable=HOURLY))
    deployment.start()
    ended = gnomon("backfill", "create", "a", *RANGE, "--wait")
    assert ended.code == 0
    last = ended.out.strip().splitlines()[-1]
    assert last.startswith("backfill 1 complete")
    assert "4/4" in last


def test_following_a_backfill_that_is_cancelled_ends(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    deployment.start(worker=False)
    assert gnomon("backfill", "create", "a", *RANGE).code == 0
    assert gnomon("backfill", "cancel", "1").code == 0
    shown = gnomon("backfill", "show", "1", "--follow").out
    assert shown.splitlines()[-1] == "backfill 1 is cancelled: 0 of 0 slots finished"
