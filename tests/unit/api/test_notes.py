"""Notes of runs and task instances over HTTP, and in `gnomon runs show`."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import NOW, Deployment, spec_of

from gnomon.entry.cli.main import main
from gnomon.model.spec import TaskSpec
from gnomon.storage.store.dag_records.dag_runs import create_manual_run

RUN = "/dags/a/dagRuns/r"
INSTANCES = f"{RUN}/taskInstances"
DAY = 86_400_000_000


@pytest.fixture
def ended(api: Client, deployment: Deployment) -> Client:
    """Run r of DAG a has ended: tasks one, two and three, of which two is in a group of a group."""
    tasks = (
        TaskSpec(task_id="one"),
        TaskSpec(task_id="two", upstream=("one",), group="g.h"),
        TaskSpec(task_id="three", upstream=("two",)),
    )
    deployment.add(spec_of("a", tasks=tasks, groups={"g": None, "g.h": "g", "empty": None}))
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r", "note": "first"})
    deployment.move(30)
    return api


def _notes(api: Client) -> dict[str, str | None]:
    return {one["task_id"]: one["note"] for one in api.get(INSTANCES)["task_instances"]}


def _events(api: Client, kind: str) -> list[tuple[str | None, str | None, dict[str, str]]]:
    return [
        (one["run_id"], one["task_id"], json.loads(one["extra"]))
        for one in api.get(f"/eventLogs?event={kind}&order_by=id")["event_logs"]
    ]


def test_the_note_of_a_run_is_set_changed_and_deleted(ended: Client, deployment: Deployment) -> None:
    assert ended.get(RUN)["note"] == "first"
    assert ended.send("PATCH", RUN, {"note": "second"})["note"] == "second"
    assert ended.send("PATCH", RUN, {"state": None})["note"] == "second"
    assert ended.send("PATCH", f"{RUN}?update_mask=state", {"note": "no"})["note"] == "second"
    assert [one["note"] for one in ended.get("/dags/~/dagRuns")["dag_runs"]] == ["second"]
    assert ended.send("PATCH", f"{RUN}?update_mask=note", {"note": None})["note"] is None
    assert ended.send("PATCH", RUN, {"note": ""})["note"] is None
    cleared = ended.send("POST", f"{RUN}/clear", {"dry_run": False, "note": "again"})
    assert (cleared["note"], cleared["state"] in ("queued", "running")) == ("again", True)
    ended.fails(422, RUN, "PATCH", {"note": "x" * 1001})
    assert _events(ended, "note_set") == [
        ("r", None, {"after": "first"}),
        ("r", None, {"before": "first", "after": "second"}),
        ("r", None, {"after": "again"}),
    ]
    assert len(_events(ended, "note_deleted")) == 1


def test_notes_of_task_instances(ended: Client, deployment: Deployment) -> None:
    changed = ended.send("PATCH", f"{INSTANCES}/one", {"note": "slow", "include_downstream": True})
    assert [one["task_id"] for one in changed["task_instances"]] == ["one", "two", "three"]
    assert _notes(ended) == {"one": "slow", "two": None, "three": None}
    assert ended.send("PATCH", f"{INSTANCES}/two/dry_run", {"note": "never"})["task_instances"][0]["note"] is None
    ended.send("PATCH", f"{INSTANCES}/two", {"note": "odd", "new_state": "failed"})
    assert (ended.get(f"{INSTANCES}/two")["note"], ended.get(f"{INSTANCES}/two")["state"]) == ("odd", "failed")
    assert [one["note"] for one in ended.get("/dags/~/dagRuns/~/taskInstances?task_id=two")["task_instances"]] == [
        "odd"
    ]
    ended.send(
        "POST",
        "/dags/a/clearTaskInstances",
        {"dry_run": False, "dag_run_id": "r", "task_ids": ["three"], "only_failed": False, "note": "once more"},
    )
    assert _notes(ended) == {"one": "slow", "two": "odd", "three": "once more"}
    ended.send("PATCH", f"{INSTANCES}/one", {"note": ""})
    assert _notes(ended)["one"] is None
    assert _events(ended, "note_set")[1:] == [
        ("r", "one", {"after": "slow"}),
        ("r", "two", {"after": "odd"}),
        ("r", "three", {"after": "once more"}),
    ]
    assert ended.get(RUN)["note"] == "first"


def test_a_task_group_is_marked_and_gets_notes(ended: Client) -> None:
    group = f"{RUN}/taskGroupInstances/g"
    shown = ended.send("PATCH", f"{group}/dry_run", {"new_state": "failed", "include_downstream": True, "note": "no"})
    assert ([one["task_id"] for one in shown["task_instances"]], shown["total_entries"]) == (["two", "three"], 2)
    assert ended.get(f"{INSTANCES}/two")["state"] == "success"
    changed = ended.send("PATCH", group, {"new_state": "failed", "note": "group"})
    assert [(one["task_id"], one["state"], one["note"]) for one in changed["task_instances"]] == [
        ("two", "failed", "group")
    ]
    assert (
        ended.send("PATCH", f"{RUN}/taskGroupInstances/g.h?update_mask=note", {"new_state": "success", "note": "h"})[
            "task_instances"
        ][0]["state"]
        == "failed"
    )
    assert "it has: empty, g, g.h" in ended.fails(404, f"{RUN}/taskGroupInstances/x", "PATCH", {"new_state": "failed"})
    ended.fails(404, f"{RUN}/taskGroupInstances/empty", "PATCH", {"new_state": "failed"})
    ended.fails(422, group, "PATCH", {"new_state": "running"})


def _bulk(api: Client, path: str, action: str, entities: list[object], **options: object) -> Any:
    return api.send("PATCH", path, {"actions": [{"action": action, "entities": entities, **options}]})[action]


def test_task_instances_are_changed_in_bulk(ended: Client) -> None:
    entities: list[object] = [
        {"task_id": "two", "new_state": "failed", "note": "n"},
        {"task_id": "x", "new_state": "failed"},
    ]
    done = _bulk(ended, INSTANCES, "update", entities)
    assert (done["success"], [error["status_code"] for error in done["errors"]]) == (["a.r.two[-1]"], [404])
    assert (ended.get(f"{INSTANCES}/two")["state"], ended.get(f"{INSTANCES}/two")["note"]) == ("failed", "n")
    several: list[object] = [
        {"task_id": "one", "dag_id": "a", "dag_run_id": "r", "new_state": "skipped", "map_index": -1},
        {"task_id": "one"},
    ]
    done = _bulk(ended, "/dags/~/dagRuns/~/taskInstances", "update", several, action_on_non_existence="skip")
    assert (done["success"], [error["status_code"] for error in done["errors"]]) == (["a.r.one[-1]"], [400])
    masked = _bulk(
        ended, INSTANCES, "update", [{"task_id": "three", "new_state": "failed", "note": "m"}], update_mask=["note"]
    )
    assert masked == {"success": ["a.r.three[-1]"], "errors": []}
    assert (ended.get(f"{INSTANCES}/three")["state"], ended.get(f"{INSTANCES}/three")["note"]) == ("success", "m")
    assert [error["status_code"] for error in _bulk(ended, INSTANCES, "delete", ["one"])["errors"]] == [501]
    assert [error["status_code"] for error in _bulk(ended, INSTANCES, "create", [{"task_id": "n"}])["errors"]] == [405]


def test_runs_are_cleared_together(ended: Client, deployment: Deployment) -> None:
    ended.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "s"})
    deployment.move(30)
    body: dict[str, Any] = {"dag_runs": [{"dag_run_id": "r"}, {"dag_run_id": "s"}, {"dag_run_id": "r"}]}
    assert ended.send("POST", "/dags/a/clearDagRuns", body)["total_entries"] == 6
    cleared = ended.send("POST", "/dags/a/clearDagRuns", {**body, "dry_run": False, "note": "both"})
    assert [(one["dag_run_id"], one["note"]) for one in cleared["dag_runs"]] == [("r", "both"), ("s", "both")]
    assert {one["state"] for one in cleared["dag_runs"]} <= {"queued", "running"}
    deployment.move(60)
    assert ended.get(f"{INSTANCES}/one")["try_number"] == 2
    ended.fails(404, "/dags/a/clearDagRuns", "POST", {"dag_runs": [{"dag_run_id": "x"}]})
    for wrong in ({}, {"dag_runs": [{"dag_run_id": "r"}], "partition_key": "k"}):
        ended.fails(422, "/dags/a/clearDagRuns", "POST", wrong)
    ended.fails(400, "/dags/~/clearDagRuns", "POST", body)
    ended.fails(400, "/dags/~/clearDagRuns", "POST", {"partition_key": "k"})
    assert (
        ended.send("POST", "/dags/~/clearDagRuns", {"dag_runs": [{"dag_run_id": "r", "dag_id": "a"}]})["total_entries"]
        == 3
    )


def test_runs_of_a_partition_are_cleared(ended: Client, deployment: Deployment) -> None:
    with deployment.db.write() as tx:
        for run_id, key, date in (("p", "north", NOW), ("q", "south", NOW + DAY)):
            create_manual_run(
                tx,
                dag_id="a",
                run_id=run_id,
                logical_at=None,
                run_after=NOW,
                interval=None,
                conf={},
                by="me",
                at=NOW,
                partition_key=key,
                partition_date=date,
            )
    deployment.move(60)
    for body, expected in (
        ({"partition_key": "north"}, {"p"}),
        ({"partition_date_start": "2026-03-01T09:00:00"}, {"p", "q"}),
        ({"partition_date_end": "2026-03-02T08:00:00Z"}, {"p"}),
        ({"partition_date_start": "2026-03-02T10:00:00+01:00", "partition_date_end": "2026-03-03T00:00:00Z"}, {"q"}),
        ({"partition_key": "x"}, set()),
    ):
        assert {
            one["dag_run_id"] for one in ended.send("POST", "/dags/a/clearDagRuns", body)["task_instances"]
        } == expected, body
    assert ended.send(
        "POST", "/dags/a/clearDagRuns", {"partition_date_end": "2026-01-01T00:00:00Z", "dry_run": False}
    ) == {
        "dag_runs": [],
        "total_entries": 0,
        "total_entries_limit": None,
        "next_cursor": None,
        "previous_cursor": None,
    }


def test_notes_are_shown_by_the_command_and_deleted_with_the_run(
    ended: Client, deployment: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    ended.send("PATCH", f"{INSTANCES}/two", {"note": "odd"})
    assert main(("runs", "show", "a", "r"), obj=deployment.home) == 0
    out = capsys.readouterr().out
    assert "first" in out
    assert "note of two" in out
    assert main(("runs", "show", "a", "r", "--output", "json"), obj=deployment.home) == 0
    notes = json.loads(capsys.readouterr().out)["notes"]
    assert [(one["task"], one["note"], one["author"]) for one in notes] == [
        (None, "first", "api:anonymous"),
        ("two", "odd", "api:anonymous"),
    ]
    ended.send("DELETE", RUN, status=204)
    with deployment.db.read() as tx:
        assert tx.all("notes.of_runs", run_pks=list(range(10))) == []


def test_favourites_belong_to_the_account(ended: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("b"), file="/dags/b.py")
    for _ in range(2):
        ended.send("POST", "/dags/b/favorite", status=204)
    assert [one["dag_id"] for one in ended.get("/dags?is_favorite=true")["dags"]] == ["b"]
    assert [one["dag_id"] for one in ended.get("/dags?is_favorite=false")["dags"]] == ["a"]
    assert (ended.get("/dags/b/details")["is_favorite"], ended.get("/dags/a/details")["is_favorite"]) == (True, False)
    ended.send("POST", "/dags/b/unfavorite", status=204)
    ended.fails(409, "/dags/b/unfavorite", "POST")
    ended.fails(404, "/dags/x/favorite", "POST")
    ended.send("POST", "/dags/b/favorite", status=204)
    ended.send("DELETE", "/dags/b")
    with deployment.db.read() as tx:
        assert tx.all("favorite_dags.of_account", account="anonymous") == []
    assert [one["event"] for one in ended.get("/eventLogs?event_pattern=favorite&order_by=id")["event_logs"]][:2] == [
        "favorite_added",
        "favorite_removed",
    ]


def test_null_deletes_a_note_in_each_operation_that_changes_one(ended: Client) -> None:
    for path, name in ((RUN, "note"), (f"{INSTANCES}/one", "note")):
        for mask in ("", "?update_mask=note"):
            ended.send("PATCH", path, {name: "seen"})
            ended.send("PATCH", f"{path}{mask}", {name: None})
            assert ended.get(path)["note"] is None, (path, mask)
    in_bulk = {"actions": [{"action": "update", "entities": [{"task_id": "one", "note": None}]}]}
    ended.send("PATCH", f"{INSTANCES}/one", {"note": "seen"})
    ended.send("PATCH", INSTANCES, in_bulk)
    assert _notes(ended)["one"] is None
    ended.send("PATCH", RUN, {"note": "seen"})
    ended.send(
        "PATCH", "/dags/a/dagRuns", {"actions": [{"action": "update", "entities": [{"dag_run_id": "r", "note": None}]}]}
    )
    assert ended.get(RUN)["note"] is None
    group = f"{RUN}/taskGroupInstances/g"
    ended.send("PATCH", group, {"note": "seen"})
    assert _notes(ended)["two"] == "seen"
    ended.send("PATCH", group, {"note": None})
    assert _notes(ended)["two"] is None
