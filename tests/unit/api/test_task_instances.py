"""Task instances: lists of one run and of several, tries, dependencies, clearing, marking."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.api.v2 import task_instance_search
from gnomon.model.spec import TaskSpec
from gnomon.storage.store.coordination import leases
from gnomon.testing import Play

RUN = "/dags/a/dagRuns/r"
INSTANCES = f"{RUN}/taskInstances"


def _names(page: Any) -> list[str]:
    return [
        one["task_id"] if one["map_index"] < 0 else f"{one['task_id']}[{one['map_index']}]"
        for one in page["task_instances"]
    ]


def _fill(api: Client, deployment: Deployment) -> None:
    tasks = (
        TaskSpec(task_id="extract", display_name="Get it", pool_slots=2, queue="big"),
        TaskSpec(
            task_id="load", upstream=("extract",), retries=1, retry_delay_s=1.0, group="g", executor="LocalExecutor"
        ),
        TaskSpec(task_id="report", upstream=("load",)),
    )
    deployment.add(spec_of("a", tasks=tasks), spec_of("b"))
    deployment.plays["load"] = Play(run_s=2.0, outcome="failed")
    deployment.start()
    for dag_id, run_id in (("a", "r"), ("b", "s")):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": run_id})
        deployment.move(30)


@pytest.fixture
def ended(api: Client, deployment: Deployment) -> Client:
    """Run r of DAG a, in which `load` failed in its second try and `report` could not run; and run s of DAG b."""
    _fill(api, deployment)
    return api


@pytest.fixture(scope="module")
def ended_to_read(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for the tests that change nothing."""
    _fill(read_api, read_deployment)
    return read_api


def test_one_run(ended_to_read: Client) -> None:
    page = ended_to_read.get(INSTANCES)
    assert {one["task_id"]: (one["state"], one["try_number"], one["max_tries"]) for one in page["task_instances"]} == {
        "extract": ("success", 1, 0),
        "load": ("failed", 2, 1),
        "report": ("upstream_failed", 0, 0),
    }
    assert page["total_entries"] == 3
    one = ended_to_read.get(f"{INSTANCES}/extract")
    assert (
        one["task_display_name"],
        one["pool_slots"],
        one["queue"],
        one["duration"],
        one["dag_version"]["version_number"],
    ) == ("Get it", 2, "big", 1.0, 1)
    assert ended_to_read.get(f"{INSTANCES}/extract/-1") == one
    assert [one["executor"] for one in page["task_instances"]] == [None, "LocalExecutor", None]


def test_an_ended_instance_shows_the_host_that_ran_it(ended: Client, deployment: Deployment) -> None:
    with deployment.db.read() as tx:
        hosts = {worker.host for worker in leases.list_workers(tx, live_only=False)}
    assert (
        {ended.get(f"{INSTANCES}/extract")["hostname"]}
        == hosts
        == {one["hostname"] for one in ended.get(f"{INSTANCES}/load/tries")["task_instances"]}
    )
    assert ended.get(f"{INSTANCES}/report")["hostname"] is None


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=failed", ["load"]),
        ("state=failed&state=success", ["extract", "load"]),
        ("state=none", []),
        ("task_id=load", ["load"]),
        ("task_display_name_pattern=GET", ["extract"]),
        ("task_group_id=g", ["load"]),
        ("try_number=2", ["load"]),
        ("duration_gt=1", ["load"]),
        ("queue=big", ["extract"]),
        ("pool=default_pool", ["extract", "load", "report"]),
        ("map_index=-1", ["extract", "load", "report"]),
        ("operator=BaseOperator&limit=1&offset=1", ["load"]),
        ("executor=x", []),
        ("executor=LocalExecutor", ["load"]),
        ("dag_id_pattern=zzz", []),
        ("version_number=1", ["extract", "load", "report"]),
        ("order_by=-duration&limit=1", ["load"]),
        ("order_by=start_date", ["extract", "load", "report"]),
    ],
)
def test_filters_of_one_run(ended_to_read: Client, query: str, expected: list[str]) -> None:
    assert _names(ended_to_read.get(f"{INSTANCES}?{query}")) == expected


def test_cursors_lead_through_the_instances_of_a_run_and_of_all(ended_to_read: Client) -> None:
    for path, count in ((INSTANCES, 3), ("/dags/~/dagRuns/~/taskInstances", 4), ("/dags/a/dagRuns/~/taskInstances", 3)):
        for order in ("start_date", "-state", "map_index"):
            names, cursor = [], ""
            while cursor is not None:
                page = ended_to_read.get(f"{path}?limit=1&order_by={order}&cursor={cursor}")
                names += [(one["dag_id"], *_names({"task_instances": [one]})) for one in page["task_instances"]]
                cursor = page["next_cursor"]
            assert len(names) == len(set(names)) == count, (path, order, names)


def test_several_runs(ended_to_read: Client) -> None:
    page = ended_to_read.get("/dags/~/dagRuns/~/taskInstances?state=success")
    assert [(one["dag_id"], one["dag_run_id"], one["task_id"]) for one in page["task_instances"]] == [
        ("a", "r", "extract"),
        ("b", "s", "only"),
    ]
    assert page["task_instances"][0]["task_display_name"] == "Get it"
    batch = ended_to_read.send(
        "POST", "/dags/~/dagRuns/~/taskInstances/list", {"dag_ids": ["a"], "task_ids": ["load"], "state": ["failed"]}
    )
    assert (_names(batch), batch["total_entries"]) == (["load"], 1)
    assert "name one run" in ended_to_read.fails(501, "/dags/~/dagRuns/~/taskInstances?order_by=operator")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("executor=LocalExecutor", ["load"]),
        ("queue=big", ["extract"]),
        ("operator_name_pattern=base", ["extract", "load", "report", "only"]),
        ("operator=Other", []),
        ("task_group_id=g", ["load"]),
        ("task_display_name_pattern=GET", ["extract"]),
        ("operator=BaseOperator&state=failed", ["load"]),
        ("queue=big&task_id=load", []),
        ("pool=default_pool", ["extract", "load", "report", "only"]),
        ("pool=other", []),
        ("pool_name_pattern=DEFAULT", ["extract", "load", "report", "only"]),
        ("pool_name_prefix_pattern=default&dag_id_pattern=a", ["extract", "load", "report"]),
        ("pool_name_pattern=other", []),
        ("operator=BaseOperator&limit=2&offset=1", ["load", "report"]),
        ("operator=BaseOperator&order_by=-id&limit=2", ["only", "report"]),
    ],
)
def test_several_runs_are_searched_for_what_only_the_specs_say(
    ended_to_read: Client, query: str, expected: list[str]
) -> None:
    assert _names(ended_to_read.get(f"/dags/~/dagRuns/~/taskInstances?{query}")) == expected


def test_cursors_lead_through_a_search_in_both_directions(ended_to_read: Client) -> None:
    path, pages, cursor = "/dags/~/dagRuns/~/taskInstances?operator=BaseOperator&limit=1", [], ""
    while cursor is not None:
        pages.append(ended_to_read.get(f"{path}&cursor={cursor}"))
        cursor = pages[-1]["next_cursor"]
    assert [_names(page) for page in pages] == [["extract"], ["load"], ["report"], ["only"]]
    assert _names(ended_to_read.get(f"{path}&cursor={pages[3]['previous_cursor']}")) == ["report"]
    assert ended_to_read.get(f"{path}&cursor={pages[1]['previous_cursor']}")["previous_cursor"] is None


def test_a_search_that_does_not_fill_its_page_is_refused(ended: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_instance_search, "PIECE", 1)
    monkeypatch.setattr(task_instance_search, "SEARCHED_MAX", 2)
    assert "task instances were searched" in ended.fails(400, "/dags/~/dagRuns/~/taskInstances?queue=none")
    assert _names(ended.get("/dags/~/dagRuns/~/taskInstances?queue=big&state=success&limit=1")) == ["extract"]


def test_the_list_of_the_page_says_how_far_a_search_has_come_and_goes_on_from_there(
    ended: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_instance_search, "PIECE", 1)
    monkeypatch.setattr(task_instance_search, "SEARCHED_MAX", 2)
    cursor, found, searches = "", [], 0
    while cursor is not None:
        page = ended.own(f"/dags/~/taskInstances?operator_not=BaseOperator&order_by=-run_after&cursor={cursor}")
        assert (page["searched_until"] is None) is (page["next_cursor"] is None)
        cursor, found, searches = page["next_cursor"], found + _names(page), searches + 1
    assert (found, searches) == ([], 2)
    page = ended.own("/dags/~/taskInstances?queue=big&order_by=-run_after&cursor=")
    names = _names(page)
    while page["next_cursor"] is not None:
        page = ended.own(f"/dags/~/taskInstances?queue=big&order_by=-run_after&cursor={page['next_cursor']}")
        names += _names(page)
    assert names == ["extract"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("pool_not=default_pool", []),
        ("pool_not=other", ["extract", "load", "report", "only"]),
        ("queue_not=big", ["load", "report", "only"]),
        ("operator_not=BaseOperator", []),
        ("task_id_not=load&task_id_not=only", ["extract", "report"]),
        ("map_index_not=-1", []),
        ("dag_id_not_pattern=A", ["only"]),
        ("run_id_not_pattern=s", ["extract", "load", "report"]),
        ("queue=big&pool_not=other", ["extract"]),
    ],
)
def test_filters_are_negated(ended_to_read: Client, query: str, expected: list[str]) -> None:
    assert _names(ended_to_read.own(f"/dags/~/taskInstances?{query}")) == expected


def test_tries_and_reasons(ended_to_read: Client) -> None:
    tries = ended_to_read.get(f"{INSTANCES}/load/tries")
    assert [(one["try_number"], one["state"], one["duration"]) for one in tries["task_instances"]] == [
        (1, "failed", 2.0),
        (2, "failed", 2.0),
    ]
    assert ended_to_read.get(f"{INSTANCES}/load/-1/tries/2")["state"] == "failed"
    assert "no try 3" in ended_to_read.fails(404, f"{INSTANCES}/load/tries/3")
    assert ended_to_read.get(f"{INSTANCES}/load/dependencies") == {"dependencies": []}


def test_why_a_task_waits(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), paused=True)
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    one = api.get(INSTANCES)["task_instances"]
    assert [(row["state"], row["try_number"], row["start_date"]) for row in one] == [(None, 0, None)]
    assert any("paused" in entry["reason"] for entry in api.get(f"{INSTANCES}/only/dependencies")["dependencies"])


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (f"{INSTANCES}/nothing", "there is no task 'nothing'"),
        (f"{INSTANCES}/load/3", "no instance with map index 3"),
        (f"{INSTANCES}/load/listMapped", "not mapped"),
        ("/dags/a/dagRuns/x/taskInstances", "there is no run 'x'"),
    ],
)
def test_what_does_not_exist_is_named(ended_to_read: Client, path: str, words: str) -> None:
    assert words in ended_to_read.fails(404, path)


def test_clearing_shows_first_and_then_runs_again(ended: Client, deployment: Deployment) -> None:
    shown = ended.send("POST", "/dags/a/clearTaskInstances", {"dag_run_id": "r"})
    assert _names(shown) == ["load", "report"]
    assert ended.get(f"{INSTANCES}/load")["state"] == "failed"
    assert _names(
        ended.send(
            "POST",
            "/dags/a/clearTaskInstances",
            {"dag_run_id": "r", "only_failed": False, "task_ids": ["extract"], "include_downstream": True},
        )
    ) == [
        "extract",
        "load",
        "report",
    ]
    assert _names(
        ended.send("POST", "/dags/a/clearTaskInstances", {"dag_run_id": "r", "task_ids": [["load", -1]]})
    ) == ["load"]
    deployment.plays["load"] = Play()
    ended.send("POST", "/dags/a/clearTaskInstances", {"dag_run_id": "r", "dry_run": False})
    deployment.move(20)
    assert {one["task_id"]: one["state"] for one in ended.get(INSTANCES)["task_instances"]} == dict.fromkeys(
        ("extract", "load", "report"), "success"
    )


def test_clearing_by_dates_takes_the_runs_in_the_range(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.start()
    for day in (1, 2, 3):
        api.send("POST", "/dags/a/dagRuns", {"logical_date": f"2026-01-0{day}T00:00:00Z", "dag_run_id": f"r{day}"})
    deployment.move(20)
    body = {"start_date": "2026-01-02T00:00:00Z", "only_failed": False}
    found = api.send("POST", "/dags/a/clearTaskInstances", body)["task_instances"]
    assert sorted(one["dag_run_id"] for one in found) == ["r2", "r3"]
    past = api.send(
        "POST", "/dags/a/clearTaskInstances", {"dag_run_id": "r2", "include_past": True, "only_failed": False}
    )["task_instances"]
    assert "r2" in [one["dag_run_id"] for one in past]
    api.fails(400, "/dags/a/clearTaskInstances", "POST", {"include_past": True})
    api.fails(422, "/dags/a/clearTaskInstances", "POST", {"task_ids": [["load", "x"]]})


def test_a_state_is_set_in_earlier_and_in_later_runs(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", groups={"g": None}, tasks=(TaskSpec(task_id="g.only", group="g"),)))
    deployment.start()
    for day in (1, 2, 3):
        api.send("POST", "/dags/a/dagRuns", {"logical_date": f"2026-01-0{day}T00:00:00Z", "dag_run_id": f"r{day}"})
        deployment.move(10)
    task = "/dags/a/dagRuns/r2/taskInstances/g.only"

    def touched(path: str, **body: object) -> list[str]:
        return [
            one["dag_run_id"]
            for one in api.send("PATCH", f"{path}/dry_run", {"new_state": "failed", **body})["task_instances"]
        ]

    assert touched(task) == ["r2"]
    assert touched(task, include_past=True) == ["r2", "r1"]
    assert touched(task, include_future=True) == ["r2", "r3"]
    assert touched("/dags/a/dagRuns/r2/taskGroupInstances/g", include_past=True, include_future=True) == [
        "r2",
        "r1",
        "r3",
    ]
    api.send("PATCH", task, {"new_state": "failed", "include_past": True, "note": "wrong source"})
    states = [api.get(f"/dags/a/dagRuns/r{day}/taskInstances/g.only") for day in (1, 2, 3)]
    assert [(one["state"], one["note"]) for one in states] == [
        ("failed", None),
        ("failed", "wrong source"),
        ("success", None),
    ]


def test_a_state_is_set(ended: Client) -> None:
    shown = ended.send("PATCH", f"{INSTANCES}/load/dry_run", {"new_state": "success"})
    assert (_names(shown), ended.get(f"{INSTANCES}/load")["state"]) == (["load"], "failed")
    changed = ended.send("PATCH", f"{INSTANCES}/load", {"new_state": "success"})
    assert [(one["task_id"], one["state"]) for one in changed["task_instances"]] == [("load", "success")]
    assert ended.send("PATCH", f"{INSTANCES}/load/-1", {"new_state": "success"})["task_instances"] == []
    ended.fails(422, f"{INSTANCES}/load", "PATCH", {"new_state": "running"})
    ended.fails(404, f"{INSTANCES}/nothing", "PATCH", {"new_state": "failed"})
