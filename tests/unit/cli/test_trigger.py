"""`gnomon dags trigger`."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

import pytest
from tests.unit.cli.conftest import Gnomon
from tests.unit.cli.deployment import Deployment, spec_of

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import ParamSpec

NIGHTLY = TimetableRef(path="CronDataIntervalTimetable", summary="0 0 * * 1-5", data={"expression": "0 0 * * 1-5", "timezone": "UTC"})

WORKDAYS = TimetableRef(path="airflow.example_dags.plugins.workday.AfterWorkdayTimetable", builtin=False)


def _runs(gnomon: Gnomon, dag_id: str) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = json.loads(gnomon("runs", "list", dag_id, "-o", "json").out)
    return rows


def test_it_prints_the_run_id_and_nothing_else(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    assert gnomon("dags", "trigger", "a") == (0, "manual__2026-03-01T09:00:00+00:00\n", "")


def test_the_record_has_exactly_the_fields_of_a_run(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    made = json.loads(gnomon("dags", "trigger", "a", "--run-id", "mine", "--conf", '{"k": [1]}', "-o", "json").out)
    assert made == {
        "dag_id": "a", "run_id": "mine", "run_type": "manual", "state": "queued", "logical_date": None,
        "run_after": "2026-03-01T09:00:00.000000+00:00",
        "data_interval_start": "2026-03-01T09:00:00.000000+00:00", "data_interval_end": "2026-03-01T09:00:00.000000+00:00",
        "start_date": None, "end_date": None, "conf": {"k": [1]}, "reason": None,
    }  # fmt: skip
    assert _runs(gnomon, "a") == [made]


def test_a_logical_date_brings_the_interval_that_the_timetable_infers(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=NIGHTLY))
    assert gnomon("dags", "trigger", "a", "--logical-date", "2024-03-04T12:00:00+00:00").code == 0
    (run,) = _runs(gnomon, "a")
    assert run["logical_date"] == "2024-03-04T12:00:00.000000+00:00"
    assert run["data_interval_start"] == "2024-03-01T00:00:00.000000+00:00"
    assert run["data_interval_end"] == "2024-03-04T00:00:00.000000+00:00"
    assert run["run_after"] == "2026-03-01T09:00:00.000000+00:00"


def test_without_a_logical_date_the_interval_is_inferred_from_now_and_no_slot_is_held(
    gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a", timetable=NIGHTLY))
    for run_id in ("one", "two"):
        assert gnomon("dags", "trigger", "a", "--run-id", run_id).code == 0
    friday = ("2026-02-26T00:00:00.000000+00:00", "2026-02-27T00:00:00.000000+00:00")
    for run in _runs(gnomon, "a"):
        assert run["logical_date"] is None
        assert (run["data_interval_start"], run["data_interval_end"]) == friday
    assert gnomon("dags", "trigger", "a", "--logical-date", "2026-02-26T00:00:00+00:00", "--run-id", "slot").code == 0


@pytest.mark.parametrize(
    ("days", "covers"),
    [(0, "2026-02-27"), (1, "2026-02-27"), (2, "2026-03-02"), (86, "2026-05-22")],
    ids=["on a Sunday", "on a Monday", "on a Tuesday", "the day after a holiday"],
)
def test_an_author_class_is_asked_about_now_in_its_own_process(
    days: int, covers: str, gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a", timetable=WORKDAYS))
    deployment.clock.advance(days * 86_400.0)
    assert gnomon("dags", "trigger", "a").code == 0
    (run,) = _runs(gnomon, "a")
    start = datetime.fromisoformat(str(run["data_interval_start"]))
    assert start == datetime.fromisoformat(f"{covers}T00:00:00+00:00")
    assert datetime.fromisoformat(str(run["data_interval_end"])) == start + timedelta(days=1)
    assert (run["logical_date"], run["state"]) == (None, "queued")


def test_a_class_that_is_gone_is_told(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=TimetableRef(path="no_such_module.Mine", builtin=False)))
    code, out, err = gnomon("dags", "trigger", "a")
    assert (code, out) == (1, "") and "Traceback" not in err
    assert "DAG 'a' gives a run by hand no data interval: no_such_module.Mine cannot be loaded" in err


def test_a_paused_dag_takes_the_run_and_says_that_it_waits(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), paused=True)
    code, out, err = gnomon("dags", "trigger", "a", "--run-id", "r")
    assert (code, out) == (0, "r\n")
    assert "is paused: the run waits until `gnomon dags unpause a`" in err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--run-id", "taken"], "DAG 'a' has a run 'taken' already; choose another run id"),
        (["--logical-date", "2026-01-01"], "has a run for logical date 2026-01-01T00:00:00.000000+00:00 already: 'taken'"),
        (["--run-id", "x" * 251], "a run id has 1 to 250 characters; this one has 251"),
        (["--run-id", ""], "a run id has 1 to 250 characters; this one has 0"),
        (["--run-id", "a\n"], "a run id is one line of text; this one has the character '\\n', leave it out"),
        (["--conf", '{"n": "x"}'], "the conf does not fit DAG 'a': Param 'n'"),
    ],
)
def test_what_cannot_be_is_exit_code_1_and_nothing_is_made(
    args: list[str], said: str, gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("a", params={"n": ParamSpec(default=1, schema={"type": "integer"})}))
    assert gnomon("dags", "trigger", "a", "--run-id", "taken", "--logical-date", "2026-01-01").code == 0
    code, out, err = gnomon("dags", "trigger", "a", *args)
    assert (code, out) == (1, "") and said in err
    assert len(_runs(gnomon, "a")) == 1


@pytest.mark.parametrize("args", [["--conf", "{"], ["--conf", "[]"], ["--logical-date", "soon"]])
def test_what_cannot_be_read_is_wrong_usage(args: list[str], gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    code, out, err = gnomon("dags", "trigger", "a", *args)
    assert (code, out) == (2, "") and "Usage:" in err
    assert _runs(gnomon, "a") == []


def test_a_dag_that_left_its_file_is_refused(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), spec_of("b"))
    deployment.add(spec_of("b"))
    code, _, err = gnomon("dags", "trigger", "a")
    assert code == 1 and "DAG 'a' is in no file any more (last in /dags/etl.py)" in err
    assert _runs(gnomon, "a") == []
