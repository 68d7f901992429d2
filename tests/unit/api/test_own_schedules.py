"""What `/api/gnomon/v1` tells of schedules: previews, differences, the dependencies of a day; and of pools."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.changes.actions import schedule_previews
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.model.upstream_edges import DependencySpec
from gnomon.queries.report.activity.pool_use import read_pool_use
from gnomon.storage.store.admin import pools
from gnomon.testing import Play

BERLIN = "Europe/Berlin"


def ask(api: Client, path: str, body: object, status: int = 200) -> Any:
    reply = api.request("POST", f"/api/gnomon/v1/timetables{path}", body)
    assert reply.status == status, reply
    return reply.json()


def preview(api: Client, schedule: dict[str, object], status: int = 200, **window: object) -> Any:
    return ask(api, "/preview", {"schedule": schedule, **window}, status)


def test_a_preview_marks_clock_changes_and_names_skipped_days(api: Client, deployment: Deployment) -> None:
    deployment.home.cfg.home.mkdir(exist_ok=True)
    (deployment.home.cfg.home / "gnomon.toml").write_text('[calendars.de]\ncountry = "DE"\n')
    schedule = {"cron": "0 6 * * *", "timezone": BERLIN, "calendar": "de"}
    answer = preview(api, schedule, **{"from": "2026-03-27T00:00:00", "to": "2026-04-08T00:00:00"})
    assert [(slot["local"], slot["clock_change"]) for slot in answer["slots"]][:2] == [
        ("Fri 2026-03-27 06:00 +01:00", None),
        ("Mon 2026-03-30 06:00 +02:00", "+01:00"),
    ]
    skipped = {one["day"]: one["reason"] for one in answer["skipped"]}
    assert list(skipped) == ["2026-03-28", "2026-03-29", "2026-04-03", "2026-04-04", "2026-04-05", "2026-04-06"]
    assert skipped["2026-03-28"] == "weekend"
    assert "Good Friday" in skipped["2026-04-03"] or "Karfreitag" in skipped["2026-04-03"]
    assert answer["clock_changes"] == [{"at": "2026-03-29T01:00:00Z", "change": "+01:00"}]
    assert (answer["known_until"], answer["stop_reason"], answer["timezone"]) == ("2026-04-07T22:00:00Z", None, BERLIN)
    weekly = preview(
        api, {**schedule, "cron": "0 6 * * 5"}, **{"from": "2026-03-27T00:00:00", "to": "2026-04-08T00:00:00"}
    )
    assert [one["day"] for one in weekly["skipped"]] == ["2026-04-03"]
    alone = preview(
        api, {"calendar": "de", "at": "07:30", "timezone": BERLIN}, limit=2, **{"from": "2026-04-02T00:00:00"}
    )
    assert [slot["local"] for slot in alone["slots"]] == ["Thu 2026-04-02 07:30 +02:00", "Tue 2026-04-07 07:30 +02:00"]


def test_a_preview_of_a_dag_a_preset_and_a_stored_timetable(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("hourly", timetable=HOURLY))
    assert [slot["run_after"] for slot in preview(api, {"dag_id": "hourly"}, limit=2)["slots"]] == [
        "2026-03-01T09:00:00Z",
        "2026-03-01T10:00:00Z",
    ]
    assert preview(api, {"cron": "@daily"}, limit=1)["slots"][0]["run_after"] == "2026-03-02T00:00:00Z"
    stored = {"path": HOURLY.path, "data": HOURLY.data}
    assert preview(api, {"timetable": stored}, limit=2)["slots"] == preview(api, {"dag_id": "hourly"}, limit=2)["slots"]


AUTHOR = """
from datetime import timedelta
from airflow.timetables.base import DagRunInfo, Timetable

class Noon(Timetable):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        start = restriction.earliest if last_automated_data_interval is None else last_automated_data_interval.end
        return DagRunInfo.interval(start.replace(hour=12, minute=0), start.replace(hour=12, minute=0) + timedelta(days=1))

class Broken(Noon):
    def next_dagrun_info(self, *, last_automated_data_interval, restriction):
        raise RuntimeError("no calendar today")
"""


def test_a_timetable_of_an_author_is_asked_through_its_dag_only(api: Client, deployment: Deployment) -> None:
    folder = Path(deployment.home.cfg.plugins_folder)
    folder.mkdir(parents=True)
    (folder / "noon_plugin.py").write_text(AUTHOR)
    for name in ("Noon", "Broken"):
        deployment.add(
            spec_of(name, timetable=TimetableRef(path=f"noon_plugin.{name}", summary=name, builtin=False)),
            file=f"/dags/{name}.py",
        )
    answer = preview(api, {"dag_id": "Noon"}, limit=2, **{"from": "2026-03-02T00:00:00Z"})
    assert [slot["run_after"][11:16] for slot in answer["slots"]] == ["12:00", "12:00"]
    assert "no calendar today" in preview(api, {"dag_id": "Broken"}, 400)["detail"]
    assert "none of the built-in ones" in preview(api, {"timetable": {"path": "noon_plugin.Noon"}}, 400)["detail"]


@pytest.mark.parametrize(
    ("schedule", "status", "told"),
    [
        ({"cron": "x"}, 400, "has 1 field;"),
        ({"cron": "0 0 30 2 *"}, 400, "can never fire"),
        ({"cron": "0 0 * * *", "timezone": "Mars/Base"}, 400, "not known"),
        ({"cron": "0 0 * * *", "timezone": "../../etc/passwd"}, 400, "not known"),
        ({"cron": "0 0 * * *", "timezone": "a\0b"}, 422, "NUL"),
        ({"cron": "0 0 * * *", "timezone": "+99999999999999:00"}, 400, "no offset"),
        ({"cron": "* " * 400}, 422, "500"),
        ({"timetable": {"path": "os.system", "data": {"command": "true"}}}, 400, "none of the built-in ones"),
        ({"timetable": {"path": "DeltaTriggerTimetable", "data": {"delta": 1e308}}}, 400, "does not accept"),
        ({"timetable": {"path": "DeltaTriggerTimetable", "data": {"delta": 0}}}, 400, ""),
        ({"timetable": {"path": "CronTriggerTimetable", "data": {"expression": "x" * 70_000}}}, 400, "65536 bytes"),
        ({"timetable": {"path": "BusinessDays", "data": {"calendar": [], "at": {}, "timezone": 1}}}, 400, ""),
        ({"calendar": "nope"}, 400, "no calendar"),
        ({"cron": "@once", "calendar": "nope"}, 400, "takes no calendar"),
        ({"dag_id": "absent"}, 404, "absent"),
        ({"cron": "@daily", "dag_id": "a"}, 422, "exactly one"),
        ({}, 422, "exactly one"),
        ({"cron": "@daily", "nonsense": 1}, 422, "extra"),
    ],
)
def test_a_hostile_schedule_is_refused_in_a_sentence(
    api: Client, schedule: dict[str, object], status: int, told: str
) -> None:
    assert told in str(preview(api, schedule, status)["detail"])


@pytest.mark.parametrize(
    ("window", "status"),
    [
        ({"limit": 10**9}, 422),
        ({"limit": 0}, 422),
        ({"from": "9999-12-31T23:59:59Z"}, 400),
        ({"from": "0001-01-01T00:00:00"}, 400),
        ({"from": "2026-01-02T00:00:00", "to": "2026-01-01T00:00:00"}, 400),
        ({"from": "yesterday"}, 422),
    ],
)
def test_a_hostile_window_is_refused(api: Client, window: dict[str, object], status: int) -> None:
    assert "detail" in preview(api, {"cron": "@daily"}, status, **window)


def test_an_answer_ends_after_its_slots_and_after_its_time(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = {"from": "1900-01-01T00:00:00", "to": "9000-01-01T00:00:00"}
    answer = preview(api, {"cron": "* * * * * *"}, limit=1000, **wide)
    assert (len(answer["slots"]), answer["known_until"]) == (1000, "1900-01-01T00:16:39.000001Z")
    monkeypatch.setattr(schedule_previews, "ANSWER_S", -1.0)
    late = preview(api, {"cron": "* * * * *"}, limit=1000, **wide)
    assert (len(late["slots"]) < 1000, "time for the answer is over" in late["stop_reason"]) == (True, True)


def test_the_difference_of_two_schedules(api: Client) -> None:
    body = {
        "before": {"cron": "0 6 * * *"},
        "after": {"cron": "0 7 * * 1-5"},
        "from": "2026-03-02T00:00:00",
        "to": "2026-03-09T00:00:00",
    }
    answer = ask(api, "/diff", body)
    assert (answer["same"], len(answer["moved"]), len(answer["lost"]), answer["gained"], answer["stop_reasons"]) == (
        0,
        5,
        2,
        [],
        [],
    )
    assert {pair["by_seconds"] for pair in answer["moved"]} == {3600.0}
    assert answer["summary"]["text"].startswith("7 runs before, 5 runs after")


def test_the_lines_of_a_day_lead_from_runs_to_slots(api: Client, deployment: Deployment) -> None:
    daily = HOURLY.__class__(path=HOURLY.path, summary="0 6 * * *", data={**HOURLY.data, "expression": "0 6 * * *"})
    deployment.add(
        spec_of("up", timetable=HOURLY),
        spec_of("down", timetable=daily, depends_on=(DependencySpec(dag_id="up"), DependencySpec(dag_id="absent"))),
    )
    answer = api.own("/dependencies/day?dag_id=down&day=2026-03-02")
    assert (answer["day"], answer["timezone"], answer["left_out"]) == ("2026-03-02", "UTC", 0)
    (known,) = (one for one in answer["dependencies"] if one["upstream_dag_id"] == "up")
    assert [run["run_after"] for run in known["runs"]] == ["2026-03-02T06:00:00Z"]
    assert known["runs"][0]["waits_for"]
    assert (
        set(known["runs"][0]["waits_for"]) <= set(known["upstream_slots"])
        or known["runs"][0]["window_start"] < answer["start"]
    )
    assert len(known["upstream_slots"]) == 24
    (unknown,) = (one for one in answer["dependencies"] if one["upstream_dag_id"] == "absent")
    assert (unknown["runs"], "there is no DAG 'absent'" in unknown["error"]) == ([], True)
    assert api.own("/dependencies/day?dag_id=up")["day"] == "2026-03-01"
    for query, status in (
        ("dag_id=nope", 404),
        ("dag_id=down&day=9999-12-31", 422),
        ("dag_id=down&day=x", 422),
        ("", 422),
    ):
        assert "detail" in api.own(f"/dependencies/day?{query}", status)


def test_pools_list_what_holds_their_slots_and_what_waits(api: Client, deployment: Deployment) -> None:
    with deployment.db.write() as tx:
        pools.set_pool(tx, "narrow", 1)
    tasks = tuple(TaskSpec(task_id=f"t{n}", pool="narrow") for n in range(3))
    spec: DagSpec = spec_of("d")
    deployment.add(DagSpec(dag_id="d", timetable=spec.timetable, owner="me", tasks=tasks))
    deployment.plays.update({task.task_id: Play(run_s=1e6) for task in tasks})
    deployment.start()
    api.send("POST", "/dags/d/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(5)
    answer = api.own("/pools/use")
    (narrow,) = (one for one in answer["pools"] if one["pool"] == "narrow")
    assert (narrow["slots"], narrow["used"], narrow["held"], narrow["waiting"], answer["complete"]) == (
        1,
        1,
        1,
        2,
        True,
    )
    assert [(one["task_id"], one["state"]) for one in narrow["holders"]] == [("t0", "running")]
    assert [one["task_id"] for one in narrow["waiters"]] == ["t1", "t2"]
    with deployment.db.read() as tx:
        (hidden,) = (use for use in read_pool_use(tx, lambda _: False).pools if use.pool.name == "narrow")
    assert (hidden.held, hidden.waiting, hidden.holders, hidden.waiters) == (1, 2, [], [])
