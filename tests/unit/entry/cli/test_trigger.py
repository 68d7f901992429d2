"""`gnomon dags trigger`."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.instants import to_instant
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import ParamSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.storage.store.dag_records import dag_runs

NIGHTLY = TimetableRef(
    path="CronDataIntervalTimetable", summary="0 0 * * 1-5", data={"expression": "0 0 * * 1-5", "timezone": "UTC"}
)

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
        "dag_id": "a",
        "run_id": "mine",
        "run_type": "manual",
        "state": "queued",
        "logical_date": None,
        "run_after": "2026-03-01T09:00:00.000000+00:00",
        "data_interval_start": "2026-03-01T09:00:00.000000+00:00",
        "data_interval_end": "2026-03-01T09:00:00.000000+00:00",
        "start_date": None,
        "end_date": None,
        "conf": {"k": [1]},
        "reason": None,
        "partition_key": None,
        "partition_date": None,
    }
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
    assert "DAG 'a' infers no data interval for a manual run: no_such_module.Mine cannot be loaded" in err


def test_a_paused_dag_takes_the_run_and_says_that_it_waits(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), paused=True)
    code, out, err = gnomon("dags", "trigger", "a", "--run-id", "r")
    assert (code, out) == (0, "r\n")
    assert "is paused: the run waits until `gnomon dags unpause a`" in err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--run-id", "taken"], "DAG 'a' already has a run 'taken'; choose another run id"),
        (
            ["--logical-date", "2026-01-01"],
            "already has a run for logical date 2026-01-01T00:00:00.000000+00:00: 'taken'",
        ),
        (["--run-id", "x" * 251], "a run id has 1 to 250 characters; this one has 251"),
        (["--run-id", ""], "a run id has 1 to 250 characters; this one has 0"),
        (["--run-id", "a\n"], "a run id is one line of text; this one has the character '\\n', leave it out"),
        (["--conf", '{"n": "x"}'], "the conf does not fit the params of DAG 'a': Param 'n'"),
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
    assert code == 1 and "DAG 'a' was deleted: no file defines it any more; restore /dags/etl.py to run it" in err
    assert _runs(gnomon, "a") == []


# ---- runs in the place of a slot -----------------------------------------------------------------------------------------
def _needed(deployment: Deployment, timetable: TimetableRef) -> None:
    """Another DAG waits for runs of `a`."""
    deployment.add(
        spec_of("a", timetable=timetable), spec_of("b", timetable=HOURLY, depends_on=(DependencySpec(dag_id="a"),))
    )


@pytest.mark.parametrize(
    ("asked", "interval", "more"),
    [
        (["--slot", "2024-03-04"], ("2024-03-01", "2024-03-04"), ""),
        (
            ["--logical-date", "2024-03-01"],
            ("2024-02-29", "2024-03-01"),
            "; its data interval starts at 2024-02-29T00:00:00Z, that of the slot at 2024-03-01T00:00:00Z; --slot gives a run the data interval of the slot",
        ),
    ],
    ids=["by its time", "by its logical date"],
)
def test_a_run_in_the_place_of_a_slot_says_which(
    asked: list[str], interval: tuple[str, str], more: str, gnomon: Gnomon, deployment: Deployment
) -> None:
    """Friday's run is due on Monday."""
    _needed(deployment, NIGHTLY)
    code, out, err = gnomon("dags", "trigger", "a", *asked, "--run-id", "r")
    assert (code, out) == (0, "r\n")
    assert (
        err
        == f"run 'r' stands for the slot due at 2024-03-04T00:00:00Z: DAGs that wait for that slot wait for this run{more}\n"
    )
    (run,) = _runs(gnomon, "a")
    assert run["logical_date"] == "2024-03-01T00:00:00.000000+00:00"
    assert (run["data_interval_start"], run["data_interval_end"]) == tuple(
        f"{day}T00:00:00.000000+00:00" for day in interval
    )
    assert gnomon("explain", "a", "2024-03-04").out == "the run of the slot due at 2024-03-04T00:00:00Z is: r\n"
    code, _, err = gnomon("dags", "trigger", "a", "--slot", "2024-03-04")
    assert code == 1 and "already has a run for logical date 2024-03-01T00:00:00.000000+00:00: 'r'" in err


def test_a_time_at_which_no_run_is_planned_is_no_slot(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=NIGHTLY), spec_of("never"))
    code, out, err = gnomon("dags", "trigger", "a", "--slot", "2024-03-03")
    assert (code, out) == (
        1,
        "",
    ) and "DAG 'a' has no slot at 2024-03-03T00:00:00Z; see: gnomon timetables preview a" in err
    assert gnomon("dags", "trigger", "never", "--slot", "2024-03-04").code == 1
    code, _, err = gnomon("dags", "trigger", "a", "--slot", "2024-03-04", "--logical-date", "2024-03-01")
    assert code == 2 and "--slot and --logical-date exclude each other" in err
    assert _runs(gnomon, "a") == []


def test_a_logical_date_that_is_no_slots_says_where_to_look(gnomon: Gnomon, deployment: Deployment) -> None:
    _needed(deployment, NIGHTLY)
    said = gnomon("dags", "trigger", "a", "--logical-date", "2024-03-02", "--run-id", "r").err
    assert said == (
        "run 'r' stands for no slot, and no DAG waits for it: no slot without a run has logical date 2024-03-02T00:00:00Z; "
        "see: gnomon timetables preview a\n"
    )


def test_where_nobody_waits_nothing_is_said_of_slots(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=NIGHTLY))
    for day, run_id in (("2024-03-01", "slot"), ("2024-03-02", "none")):
        assert gnomon("dags", "trigger", "a", "--logical-date", day, "--run-id", run_id).err == ""
    with deployment.db.read() as tx:
        stands = {run.run_id: run.stands_for for run in dag_runs.list_runs(tx, "a")}
    assert stands == {"slot": to_instant(datetime(2024, 3, 4, tzinfo=UTC)), "none": None}


def test_an_author_class_is_asked_for_its_slots(gnomon: Gnomon, deployment: Deployment) -> None:
    _needed(deployment, WORKDAYS)
    said = gnomon("dags", "trigger", "a", "--logical-date", "2026-02-27", "--run-id", "r").err
    assert "run 'r' stands for the slot due at 2026-02-28T00:00:00Z" in said
    assert (
        "the slot due at 2026-02-27T00:00:00Z: "
        in gnomon("dags", "trigger", "a", "--slot", "2026-02-27", "--run-id", "s").err
    )
    by_id = {run["run_id"]: run for run in _runs(gnomon, "a")}
    assert by_id["s"]["logical_date"] == by_id["s"]["data_interval_start"] == "2026-02-26T00:00:00.000000+00:00"


def test_an_author_class_that_fails_leaves_the_run_without_a_slot_and_is_named(
    gnomon: Gnomon, deployment: Deployment, tmp_path: Path
) -> None:
    file = tmp_path / "house.py"
    file.write_text(
        "from gnomon.rules.timetables.base import DataInterval, Timetable\n"
        "class House(Timetable):\n"
        "    def infer_manual_data_interval(self, *, run_after):\n"
        "        return DataInterval(run_after, run_after)\n"
        "    def next_dagrun_info(self, *, last_automated_data_interval, restriction):\n"
        "        raise ZeroDivisionError('no days')\n"
    )
    house = TimetableRef(path="house.House", builtin=False)
    specs = spec_of("a", timetable=house), spec_of("b", timetable=HOURLY, depends_on=(DependencySpec(dag_id="a"),))
    deployment.add(*specs, file=str(file))
    code, out, err = gnomon("dags", "trigger", "a", "--logical-date", "2026-02-27", "--run-id", "r")
    assert (code, out) == (0, "r\n")
    assert (
        f"whether a slot has logical date 2026-02-27T00:00:00Z is not known: House.next_dagrun_info raised ZeroDivisionError: no days; fix the timetable ({file}:6)"
        in err
    )
    with deployment.db.read() as tx:
        assert [run.stands_for for run in dag_runs.list_runs(tx, "a")] == [None]
    code, out, err = gnomon("dags", "trigger", "a", "--slot", "2026-02-28")
    assert (code, out) == (
        1,
        "",
    ) and "the slots of DAG 'a' cannot be computed: House.next_dagrun_info raised ZeroDivisionError" in err
