"""`gnomon dags`."""

from __future__ import annotations

import json
from datetime import time

import pytest
from tests.unit.entry.cli.conftest import Gnomon
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.entry.cli.deployment.home import Home
from gnomon.model.spec import ParamSpec, ParseFailure, TaskSpec
from gnomon.storage.store.dag_records import dags
from gnomon.timetables import MultipleCronTriggerTimetable, Timetable, reference

BROKEN = ParseFailure(
    kind="syntax", message="/dags/bad.py, line 3: invalid syntax. Correct that line.", line=3, traceback="Traceback ..."
)


@pytest.mark.parametrize(
    "command",
    [
        ["dags", "list"],
        ["dags", "show", "x"],
        ["dags", "pause", "x"],
        ["runs", "list", "x"],
        ["pools", "list"],
        ["variables", "get", "x"],
        ["explain", "x"],
        ["db", "check"],
    ],
)
def test_a_home_without_a_database_is_exit_code_1_with_the_remedy(command: list[str], gnomon: Gnomon) -> None:
    code, out, err = gnomon(*command)
    assert (code, out) == (1, "")
    assert "there is no Gnomon database" in err and "gnomon standalone" in err and "gnomon db migrate" in err


def test_list_shows_every_active_dag(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("b", tags=("x", "y")), spec_of("a", timetable=HOURLY), paused=True)
    code, out, _ = gnomon("dags", "list", "-o", "json")
    assert code == 0
    assert json.loads(out) == [
        {
            "dag_id": "a",
            "schedule": "0 * * * *",
            "paused": True,
            "active": True,
            "next_run": None,
            "last_run_id": None,
            "last_run_state": None,
            "owner": "me",
            "tags": [],
            "file": "/dags/etl.py",
            "error": None,
            "warnings": [],
        },
        {
            "dag_id": "b",
            "schedule": "None",
            "paused": True,
            "active": True,
            "next_run": None,
            "last_run_id": None,
            "last_run_state": None,
            "owner": "me",
            "tags": ["x", "y"],
            "file": "/dags/etl.py",
            "error": None,
            "warnings": [],
        },
    ]


def test_list_shows_a_dag_that_left_its_file_only_when_asked(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), spec_of("gone"))
    deployment.add(spec_of("a"))
    assert "gone" not in gnomon("dags", "list").out
    rows = {row["dag_id"]: row for row in json.loads(gnomon("dags", "list", "--all", "-o", "json").out)}
    assert rows["gone"]["active"] is False and rows["a"]["active"] is True


def test_list_says_where_dag_files_go_when_there_are_none(gnomon: Gnomon, home: Home) -> None:
    assert gnomon("dags", "list") == (0, f"no DAGs yet; put DAG files into {home.cfg.dags_folder}\n", "")


def test_list_shows_next_and_last_run(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY, start_at=deployment.clock.now() - 1))
    deployment.clock.advance(3595)
    deployment.start()
    deployment.move(10)
    row = json.loads(gnomon("dags", "list", "-o", "json").out)[0]
    assert row["next_run"] == "2026-03-01T11:00:00.000000+00:00"
    assert (row["last_run_id"], row["last_run_state"]) == ("scheduled__2026-03-01T10:00:00+00:00", "success")


def test_show_tells_which_family_the_schedule_is_of(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(
        spec_of("ticks", timetable=HOURLY),
        spec_of(
            "by_hand",
            {"a": (), "b": ("a",)},
            description="Two tasks.",
            params={"n": ParamSpec(default=1, schema={"type": "integer"})},
        ),
    )
    shown = json.loads(gnomon("dags", "show", "ticks", "-o", "json").out)
    assert shown["schedule_family"] == "ticks without an interval"
    assert [run["run_after"] for run in shown["next_runs"]][:2] == [
        "2026-03-01T09:00:00.000000+00:00",
        "2026-03-01T10:00:00.000000+00:00",
    ]
    out = gnomon("dags", "show", "by_hand").out
    assert "Two tasks." in out and "runs are created manually only" in out and "b (BaseOperator) after a" in out
    assert '"default": 1' in out


def test_show_of_a_paused_dag_says_that_its_next_runs_wait(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY), paused=True)
    assert "next runs (after it is unpaused)" in gnomon("dags", "show", "a").out


def test_errors_names_file_line_and_message(gnomon: Gnomon, deployment: Deployment) -> None:
    assert gnomon("dags", "errors").out == "no errors\n"
    deployment.add(file="/dags/bad.py", failures=(BROKEN,))
    (row,) = json.loads(gnomon("dags", "errors", "-o", "json").out)
    assert row == {
        "file": "/dags/bad.py",
        "line": 3,
        "kind": "syntax",
        "message": BROKEN.message,
        "traceback": "Traceback ...",
    }
    assert "Correct that line." in gnomon("dags", "errors").out


def test_pause_and_unpause_are_written_at_once(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), spec_of("b"))

    def paused() -> list[bool]:
        with deployment.db.read() as tx:
            return [row.paused for row in dags.list_dags(tx)]

    assert gnomon("dags", "pause", "a", "b") == (0, "paused a\npaused b\n", "")
    assert paused() == [True, True]
    assert gnomon("dags", "unpause", "b") == (0, "unpaused b\n", "")
    assert paused() == [True, False]


@pytest.mark.parametrize("command", ["show", "pause", "unpause", "trigger", "delete"])
def test_an_unknown_dag_is_exit_code_1_with_the_nearest_name(
    command: str, gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("etl_daily"))
    assert gnomon("dags", command, "etl_dayly") == (
        1,
        "",
        "gnomon: there is no DAG 'etl_dayly'; did you mean 'etl_daily'?\n",
    )


def test_one_unknown_dag_among_several_changes_none(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    assert gnomon("dags", "pause", "a", "zzz").code == 1
    with deployment.db.read() as tx:
        row = dags.find_dag_row(tx, "a")
    assert row is not None and not row.paused


def test_delete_is_done_by_the_scheduler(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    gnomon("dags", "trigger", "a")
    assert gnomon("dags", "delete", "a") == (0, "deleted DAG 'a'\n", "")
    assert json.loads(gnomon("dags", "list", "--all", "-o", "json").out) == []


def test_delete_without_a_scheduler_says_that_it_waits_for_one(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    code, out, err = gnomon("dags", "delete", "a")
    assert (code, out) == (0, "")
    assert err == "accepted as request 1: no scheduler is alive; it will be applied when one starts\n"
    deployment.start()
    deployment.move()
    assert "there is no DAG 'a'" in gnomon("dags", "show", "a").err


def test_tasks_list_is_in_topological_order(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(
        spec_of(
            "d",
            tasks=(TaskSpec(task_id="z", pool="p"), TaskSpec(task_id="a", upstream=("z",), group="g")),
            groups={"g": None},
        )
    )
    rows = json.loads(gnomon("tasks", "list", "d", "-o", "json").out)
    assert [(row["task_id"], row["upstream"], row["group"], row["pool"]) for row in rows] == [
        ("z", [], None, "p"),
        ("a", ["z"], "g", "default_pool"),
    ]


class _Workdays(Timetable):
    """As an author writes it; the words come with each of the classes below."""


class _ByProperty(_Workdays):
    def __init__(self, at: time = time(8)) -> None:
        self.at = at

    @property
    def summary(self) -> str:
        return f"after each workday, at {self.at}"

    @property
    def description(self) -> str:  # type: ignore[override]
        return f"Schedule: after each workday, at {self.at}"


class _ByClassAttribute(_Workdays):
    summary = "after each workday, at 08:00:00"  # type: ignore[assignment]
    description = "Schedule: after each workday, at 08:00:00"


class _ByInstanceAttribute(_Workdays):
    def __init__(self) -> None:
        self.summary = "after each workday, at 08:00:00"
        self.description = "Schedule: after each workday, at 08:00:00"


@pytest.mark.parametrize("cls", [_ByProperty, _ByClassAttribute, _ByInstanceAttribute])
def test_an_authors_words_stand_in_the_schedule_column_and_in_show(
    cls: type[Timetable], gnomon: Gnomon, deployment: Deployment
) -> None:
    deployment.add(spec_of("workdays", timetable=reference(cls())))
    head, _, row = gnomon("dags", "list").out.splitlines()
    start = head.index("schedule")
    assert row[start:].startswith("after each workday, at 08:00:00  ")
    assert "Schedule: after each workday, at 08:00:00\n" in gnomon("dags", "show", "workdays").out
    assert json.loads(gnomon("dags", "list", "-o", "json").out)[0]["schedule"] == "after each workday, at 08:00:00"
    shown = json.loads(gnomon("dags", "show", "workdays", "-o", "json").out)
    assert (shown["schedule"], shown["schedule_description"]) == (
        "after each workday, at 08:00:00",
        "Schedule: after each workday, at 08:00:00",
    )


def test_a_timetable_without_words_is_listed_by_its_class(gnomon: Gnomon, deployment: Deployment) -> None:
    deployment.add(spec_of("plain", timetable=reference(_Workdays())))
    assert json.loads(gnomon("dags", "list", "-o", "json").out)[0]["schedule"] == "_Workdays"


def test_a_long_schedule_is_not_cut_however_narrow_the_terminal(
    gnomon: Gnomon, deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    crons = [f"{minute} 3 * * 1-5" for minute in range(20)]
    deployment.add(spec_of("many", timetable=reference(MultipleCronTriggerTimetable(*crons, timezone="UTC"))))
    assert ", ".join(crons) in gnomon("dags", "list").out
    assert ", ".join(crons) in gnomon("dags", "show", "many").out
