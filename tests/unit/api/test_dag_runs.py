"""`/dags/{dag_id}/dagRuns`: paging, order, filters, creating, changing."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, Deployment, spec_of

from gnomon.model.slots import TimetableRef
from gnomon.model.spec import ParamSpec
from gnomon.testing import Play

RUNS = "/dags/a/dagRuns"
NIGHTLY = TimetableRef(
    path="CronDataIntervalTimetable", summary="0 0 * * *", data={"expression": "0 0 * * *", "timezone": "UTC"}
)


def _trigger(api: Client, dag_id: str = "a", **body: object) -> Any:
    return api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, **body})


def _ids(page: Any) -> list[str]:
    return [run["dag_run_id"] for run in page["dag_runs"]]


def _fill(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", display_name="Letters"), spec_of("b"))
    deployment.start()
    for number in range(2):
        deployment.plays["only"] = Play(run_s=2.0 + number, outcome="failed" if number else "success")
        _trigger(api, dag_run_id=f"r{number}", logical_date=f"2026-01-0{number + 1}T00:00:00Z", conf={"n": number})
        deployment.move(20)
    _trigger(api, dag_run_id="r2")
    _trigger(api, "b", dag_run_id="other")


@pytest.fixture
def three(api: Client, deployment: Deployment) -> Client:
    """Runs r0, r1, r2 of DAG a, of which r1 failed and r2 is not started, and run other of DAG b."""
    _fill(api, deployment)
    return api


@pytest.fixture(scope="module")
def three_to_read(read_api: Client, read_deployment: Deployment) -> Client:
    """The same for the tests that change nothing."""
    _fill(read_api, read_deployment)
    return read_api


def test_the_id_that_stands_for_all_runs_and_ids_of_other_types_are_refused(three: Client) -> None:
    assert "no run id" in three.fails(400, RUNS, "POST", {"dag_run_id": "~", "logical_date": None})
    assert "reserved for scheduled runs" in three.fails(
        400, RUNS, "POST", {"dag_run_id": "scheduled__2030-01-01T00:00:00+00:00", "logical_date": None}
    )
    assert _ids(three.get(RUNS)) == ["r0", "r1", "r2"]


def test_the_pages_of_a_list_hold_every_run_once_in_either_direction(three_to_read: Client) -> None:
    assert _ids(three_to_read.get(f"{RUNS}?limit=2")) == ["r0", "r1"]
    assert _ids(three_to_read.get(f"{RUNS}?limit=2&offset=2")) == ["r2"]
    assert _ids(three_to_read.get(f"{RUNS}?order_by=-id")) == ["r2", "r1", "r0"]
    assert three_to_read.get(f"{RUNS}?limit=0") == {
        "dag_runs": [],
        "total_entries": 3,
        "total_entries_limit": None,
        "next_cursor": None,
        "previous_cursor": None,
    }


@pytest.mark.parametrize("order", ["id", "-start_date", "end_date", "-logical_date", "state", "-duration", "run_id"])
def test_cursors_lead_through_the_list_and_back(three_to_read: Client, order: str) -> None:
    whole = _ids(three_to_read.get(f"/dags/~/dagRuns?order_by={order}"))
    assert len(whole) == 4
    pages, cursor = [three_to_read.get(f"/dags/~/dagRuns?order_by={order}&limit=1&cursor=")], ""
    while (cursor := pages[-1]["next_cursor"]) is not None:
        pages.append(three_to_read.get(f"/dags/~/dagRuns?order_by={order}&limit=1&cursor={cursor}"))
    assert [run_id for page in pages for run_id in _ids(page)] == whole
    assert pages[0]["previous_cursor"] is None
    back = three_to_read.get(f"/dags/~/dagRuns?order_by={order}&limit=2&cursor={pages[-1]['previous_cursor']}")
    assert _ids(back) == whole[1:3]
    first = three_to_read.get(f"/dags/~/dagRuns?order_by={order}&limit=5&cursor={back['previous_cursor']}")
    assert (_ids(first), first["previous_cursor"]) == (whole[:1], None)


def test_null_comes_last_in_either_direction(three_to_read: Client) -> None:
    assert _ids(three_to_read.get(f"{RUNS}?order_by=end_date")) == ["r0", "r1", "r2"]
    assert _ids(three_to_read.get(f"{RUNS}?order_by=-end_date")) == ["r1", "r0", "r2"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("state=failed", ["r1"]),
        ("state=failed&state=queued", ["r1", "r2"]),
        ("state=none", []),
        ("run_id_pattern=R1|2", ["r1", "r2"]),
        ("run_id_pattern=~", ["r0", "r1", "r2"]),
        ("run_id_pattern=%251", ["r1"]),
        ("run_id_prefix_pattern=R", []),
        ("run_id_prefix_pattern=r0", ["r0"]),
        ("duration_gte=3", ["r1"]),
        ("duration_lt=3", ["r0"]),
        ("logical_date_gt=2026-01-01T00:00:00Z", ["r1"]),
        ("logical_date_lte=2026-01-01T00:00:00%2B00:00", ["r0"]),
        ("start_date_gte=2030-01-01T00:00:00Z", []),
        ("run_type=manual", ["r0", "r1", "r2"]),
        ("run_type=scheduled", []),
        ("dag_version=1", ["r0", "r1", "r2"]),
        ("dag_version=7", []),
        ("bundle_version=x", []),
        ("triggering_user_name_pattern=ANON", ["r0", "r1", "r2"]),
        ("dag_id_pattern=b", []),
        ("partition_key_pattern=x", []),
        ("updated_at_gte=2026-03-01T09:00:15Z", ["r1", "r2"]),
    ],
)
def test_filters(three_to_read: Client, query: str, expected: list[str]) -> None:
    page = three_to_read.get(f"{RUNS}?{query}")
    assert _ids(page) == expected
    assert page["total_entries"] == len(expected)


def test_every_dag_at_once(three_to_read: Client) -> None:
    assert _ids(three_to_read.get("/dags/~/dagRuns?dag_id_prefix_pattern=b")) == ["other"]
    assert three_to_read.get("/dags/~/dagRuns?state=queued")["total_entries"] == 2
    batch = three_to_read.send(
        "POST",
        "/dags/~/dagRuns/list",
        {"dag_ids": ["a"], "states": ["failed", "queued"], "order_by": "-run_id", "page_limit": 1},
    )
    assert (_ids(batch), batch["total_entries"]) == (["r2"], 2)


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        (f"{RUNS}?state=odd", 422, "is none of"),
        (f"{RUNS}?order_by=colour", 400, "cannot be ordered by 'colour'"),
        (f"{RUNS}?limit=-1", 422, None),
        (f"{RUNS}?offset=99999999999999999999", 422, None),
        (f"{RUNS}?unknown=1", 422, None),
        (f"{RUNS}?cursor=nonsense", 400, "cursor"),
        (f"{RUNS}?cursor=W1siaWQiXSxbImEiXSxmYWxzZV0", 400, "cursor"),
        (f"{RUNS}?run_id_pattern=%00", 400, "character"),
        (f"{RUNS}?duration_gte=x", 422, None),
        (f"{RUNS}?start_date_gte=yesterday", 422, None),
        ("/dags/x/dagRuns", 404, "there is no DAG 'x'"),
        ("/dags/a/dagRuns/x", 404, "there is no run 'x'"),
        (f"{RUNS}?conf_contains=x", 501, "conf"),
        (f"{RUNS}?consuming_asset_pattern=x", 501, "assets"),
        (f"{RUNS}?dag_version=99999999999999999999", 400, "too large"),
    ],
)
def test_what_is_wrong_is_named(three_to_read: Client, path: str, status: int, words: str | None) -> None:
    detail = three_to_read.fails(status, path)
    assert words is None or words in detail


def test_a_run_without_dates_has_what_the_timetable_infers(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=NIGHTLY))
    run = _trigger(api)
    assert run["dag_run_id"].startswith("manual__")
    assert (run["data_interval_start"], run["data_interval_end"]) == ("2026-02-28T00:00:00Z", "2026-03-01T00:00:00Z")
    assert (run["logical_date"], run["run_after"], run["triggered_by"], run["triggering_user_name"]) == (
        None,
        "2026-03-01T09:00:00Z",
        "rest_api",
        "anonymous",
    )
    assert run["dag_versions"][0]["version_number"] == 1


def test_a_run_has_the_dates_that_are_given(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a", timetable=HOURLY))
    body = {
        "dag_run_id": "x/y z",
        "logical_date": "2026-01-01T06:30:00+01:00",
        "data_interval_start": "2026-01-01T00:00:00Z",
        "data_interval_end": "2026-01-02T00:00:00Z",
        "run_after": "2026-01-03T00:00:00Z",
        "conf": {"ä": [None, 1.5]},
    }
    run = _trigger(api, **body)
    assert (run["logical_date"], run["data_interval_start"], run["data_interval_end"]) == (
        "2026-01-01T05:30:00Z",
        "2026-01-01T00:00:00Z",
        "2026-01-02T00:00:00Z",
    )
    assert (run["run_after"], run["conf"]) == ("2026-01-03T00:00:00Z", {"ä": [None, 1.5]})
    assert api.get("/dags/a/dagRuns/x%2Fy%20z") == run


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 422, None),
        ({"logical_date": None, "colour": 1}, 422, None),
        ({"logical_date": None, "dag_run_id": "a\nb"}, 400, "one line"),
        ({"logical_date": None, "data_interval_start": "2026-01-01T00:00:00Z"}, 422, "together"),
        ({"logical_date": None, "conf": [1]}, 422, None),
        ({"logical_date": None, "conf": {"n": "text"}}, 400, "params"),
        ({"logical_date": None, "note": "x" * 1001}, 422, None),
        (b"{", 422, None),
        (b"\xff\xfe", 422, None),
        (b"[" * 100_000, 400, None),
    ],
)
def test_a_run_is_refused(api: Client, deployment: Deployment, body: object, status: int, words: str | None) -> None:
    deployment.add(spec_of("a", params={"n": ParamSpec(default=1, schema={"type": "integer"})}))
    detail = api.fails(status, RUNS, "POST", body)
    assert words is None or words in detail
    assert api.get(RUNS)["total_entries"] == 0


def test_an_id_is_used_once(three: Client) -> None:
    assert "already has a run 'r0'" in three.fails(409, RUNS, "POST", {"logical_date": None, "dag_run_id": "r0"})
    assert "there is no DAG" in three.fails(404, "/dags/x/dagRuns", "POST", {"logical_date": None})


def test_a_state_is_set(three: Client) -> None:
    assert three.send("PATCH", f"{RUNS}/r0", {"state": "failed"})["state"] == "failed"
    assert three.send("PATCH", f"{RUNS}/r1", {"state": "queued"})["state"] in ("queued", "running")
    assert "update_mask" in three.fails(400, f"{RUNS}/r1?update_mask=colour", "PATCH", {"state": "failed"})
    assert three.send("PATCH", f"{RUNS}/r1?update_mask=note", {"state": "failed"})["state"] != "failed"


def test_clearing_shows_first_and_then_runs_again(three: Client, deployment: Deployment) -> None:
    shown = three.send("POST", f"{RUNS}/r1/clear", {})
    assert [one["task_id"] for one in shown["task_instances"]] == ["only"]
    assert three.get(f"{RUNS}/r1")["state"] == "failed"
    deployment.plays["only"] = Play(run_s=1.0)
    assert three.send("POST", f"{RUNS}/r1/clear", {"dry_run": False})["dag_run_id"] == "r1"
    deployment.move(20)
    assert three.get(f"{RUNS}/r1")["state"] == "success"


def test_a_run_is_deleted_when_it_has_ended(three: Client) -> None:
    three.send("DELETE", f"{RUNS}/r0", status=204)
    assert _ids(three.get(RUNS)) == ["r1", "r2"]
    three.fails(404, f"{RUNS}/r0", "DELETE")


def test_waiting_ends_with_the_run(three: Client) -> None:
    reply = three.request("GET", f"/api/v2{RUNS}/r1/wait?interval=0.01")
    assert (reply.kind, reply.body) == ("application/x-ndjson", b'{"state": "failed"}\n')
    three.fails(422, f"{RUNS}/r1/wait?interval=0")
    three.fails(404, f"{RUNS}/r1/wait?interval=1&result=nothing")


def test_without_a_scheduler_the_request_is_stored_and_the_answer_says_so(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    _trigger(api, dag_run_id="r")
    assert "no scheduler is alive" in api.fails(503, f"{RUNS}/r", "PATCH", {"state": "failed"})
