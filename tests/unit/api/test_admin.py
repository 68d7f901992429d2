"""Pools, variables, connections, options, jobs, the audit log, and what every request has in common."""

from __future__ import annotations

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.api.common.limits import BODY_BYTES_MAX
from gnomon.testing import Play


def test_pools(api: Client) -> None:
    made = api.send("POST", "/pools", {"name": "a/b", "slots": 3, "description": "some"}, 201)
    assert (made["slots"], made["open_slots"], made["include_deferred"]) == (3, 3, False)
    assert api.get("/pools/a%2Fb") == made
    assert [pool["name"] for pool in api.get("/pools?order_by=-slots")["pools"]] == ["default_pool", "a/b"]
    assert api.get("/pools?pool_name_pattern=A/")["total_entries"] == 1
    assert api.send("PATCH", "/pools/a%2Fb", {"slots": 5})["description"] == "some"
    assert (
        api.send("PATCH", "/pools/a%2Fb?update_mask=slots", {"slots": 6, "description": "other"})["description"]
        == "some"
    )
    assert api.send("PATCH", "/pools/default_pool", {"slots": -1})["open_slots"] == -1
    api.fails(409, "/pools", "POST", {"name": "a/b", "slots": 1})
    api.fails(422, "/pools", "POST", {"name": "x", "slots": -2})
    api.fails(422, "/pools/a%2Fb", "PATCH", {"slots": -2})
    api.fails(400, "/pools/a%2Fb", "PATCH", {"pool": "new"})
    api.fails(400, "/pools/a%2Fb?update_mask=colour", "PATCH", {"slots": 1})
    api.fails(400, "/pools/default_pool", "DELETE")
    api.send("DELETE", "/pools/a%2Fb", status=204)
    api.fails(404, "/pools/a%2Fb")


def test_slots_that_are_in_use(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(run_s=1000.0)
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None})
    deployment.move(5)
    pool = api.get("/pools/default_pool")
    assert (pool["occupied_slots"], pool["running_slots"], pool["open_slots"]) == (1, 1, 127)


def test_variables(api: Client) -> None:
    assert (
        api.send("POST", "/variables", {"key": "k", "value": {"n": 1}, "description": "some"}, 201)["value"]
        == '{"n": 1}'
    )
    assert api.send("POST", "/variables", {"key": "api_key", "value": "geheim"}, 201)["value"] == "***"
    assert [one["key"] for one in api.get("/variables?order_by=-key")["variables"]] == ["k", "api_key"]
    changed = api.send("PATCH", "/variables/k", {"key": "k", "value": "text"})
    assert (changed["value"], changed["description"], changed["is_encrypted"]) == ("text", "some", True)
    assert (
        api.send("PATCH", "/variables/k?update_mask=description", {"key": "k", "value": "new", "description": "d"})[
            "value"
        ]
        == "text"
    )
    api.fails(409, "/variables", "POST", {"key": "k", "value": 1})
    api.fails(400, "/variables/k", "PATCH", {"key": "other", "value": 1})
    api.send("DELETE", "/variables/k", status=204)
    assert "there is no Variable 'k'" in api.fails(404, "/variables/k")


def test_connections_show_no_secret(api: Client) -> None:
    body = {
        "connection_id": "db",
        "conn_type": "postgres",
        "host": "h",
        "schema": "s",
        "login": "l",
        "password": "geheim",
        "extra": '{"api_key": "auch", "n": 1}',
    }
    made = api.send("POST", "/connections", body, 201)
    assert (made["password"], made["schema"], made["extra"]) == ("***", "s", '{"api_key": "***", "n": 1}')
    shown = api.get("/connections/db")
    api.send("PATCH", "/connections/db", {**shown, "host": "new"})
    api.send("PATCH", "/connections/db?update_mask=port", {"connection_id": "db", "conn_type": "other", "port": 5})
    text = api.request("GET", "/api/v2/connections?connection_id_pattern=D").body.decode()
    assert "geheim" not in text
    assert '"host":"new"' in text
    assert '"port":5' in text
    assert '"conn_type":"postgres"' in text
    api.fails(409, "/connections", "POST", body)
    api.fails(422, "/connections", "POST", {"connection_id": "a b", "conn_type": "x"})
    api.fails(422, "/connections", "POST", {"connection_id": "x", "conn_type": "x", "extra": "[1]"})
    for port in (-1, 65_536, 99_999):
        assert "0 to 65535" in api.fails(
            422, "/connections", "POST", {"connection_id": "x", "conn_type": "x", "port": port}
        )
    refused = api.request("POST", "/api/v2/connections", {"connection_id": 7, "conn_type": "x", "password": "geheim"})
    assert (refused.status, b"geheim" in refused.body) == (422, False)
    api.send("DELETE", "/connections/db", status=204)
    api.fails(404, "/connections/db")


def test_a_masked_password_stays(api: Client, deployment: Deployment) -> None:
    from gnomon.storage.store.admin import connections

    api.send(
        "POST",
        "/connections",
        {"connection_id": "c", "conn_type": "http", "password": "p", "extra": '{"token": "t"}'},
        201,
    )
    api.send("PATCH", "/connections/c", {**api.get("/connections/c"), "login": "l"})
    with deployment.db.read() as tx:
        stored = connections.get_connection(tx, "c")
    assert stored is not None
    assert (stored.password, stored.extra, stored.login) == ("p", '{"token": "t"}', "l")


def test_options_are_shown_without_secrets(api: Client) -> None:
    sections = {
        one["name"]: {option["key"]: option["value"] for option in one["options"]}
        for one in api.get("/config")["sections"]
    }
    assert sections["core"]["parallelism"] == "32"
    assert [one["name"] for one in api.get("/config?section=api")["sections"]] == ["api"]
    assert api.get("/config/section/core/option/parallelism")["sections"][0]["options"] == [
        {"key": "parallelism", "value": "32"}
    ]
    text = api.request("GET", "/api/v2/config?section=api", headers={"Accept": "text/plain"})
    assert text.body.decode().startswith("[api]\n")
    api.fails(404, "/config?section=nothing")
    api.fails(404, "/config/section/core/option/nothing")


def test_processes_are_jobs(api: Client, deployment: Deployment) -> None:
    deployment.start()
    (job,) = api.get("/jobs?is_alive=true")["jobs"]
    assert (job["job_type"], job["state"], job["hostname"]) == ("SchedulerJob", "running", "here")
    assert api.get("/jobs?job_type=TriggererJob")["total_entries"] == 0
    assert api.get("/jobs?start_date_gt=2030-01-01T00:00:00Z")["total_entries"] == 0


def test_the_audit_log(api: Client, deployment: Deployment) -> None:
    deployment.add(spec_of("a"), spec_of("b"))
    for dag_id in ("a", "b"):
        api.send("POST", f"/dags/{dag_id}/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    page = api.get("/eventLogs?event=run_created&dag_id=b")
    (event,) = page["event_logs"]
    assert (event["run_id"], event["owner"], event["extra"], page["total_entries"]) == ("r", "api:anonymous", "r", 1)
    assert api.get(f"/eventLogs/{event['event_log_id']}") == event
    assert api.get("/eventLogs?excluded_events=run_created&included_events=run_created")["total_entries"] == 0
    assert api.get("/eventLogs?after=2030-01-01T00:00:00Z")["total_entries"] == 0
    assert api.get("/eventLogs?owner_pattern=API:&limit=1&order_by=-when")["total_entries"] == 2
    api.fails(404, "/eventLogs/999")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("DELETE", "/version", 405),
        ("POST", "/dags/a/clearPartitions", 501),
        ("POST", "/connections/defaults", 501),
        ("GET", "/dags/a%00b", 400),
        ("GET", "/dags/%ee%80%80", 400),
        ("GET", "/dags/%ff%fe", 404),
        ("GET", "/dags/..%2f..%2fetc", 404),
        ("GET", "/pools?limit=x", 422),
        ("GET", "/variables?order_by=_secret", 400),
        ("GET", "/dags?dag_id_pattern=%5C%5C%25_%5B", 200),
        ("GET", "/dags/%F0%9F%98%80", 404),
    ],
)
def test_odd_requests_have_an_answer(api: Client, method: str, path: str, status: int) -> None:
    reply = api.request(method, f"/api/v2{path}")
    assert reply.status == status
    assert status == 200 or "detail" in reply.json()


def test_a_body_has_a_limit(api: Client) -> None:
    reply = api.request("POST", "/api/v2/pools", headers={"Content-Length": str(BODY_BYTES_MAX + 1)})
    assert (reply.status, "bytes" in reply.json()["detail"]) == (413, True)


def test_the_version_is_that_of_the_dialect(api: Client) -> None:
    assert api.get("/version") == {"version": "3.3.2", "git_version": None}


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("port", 99999, "is no port; give a number from 0 to 65535"),
        ("port", -1, "is no port"),
        ("extra", '{"a": NaN}', "extra has NaN"),
        ("extra", '{"a": -Infinity}', "extra has -Infinity"),
    ],
)
def test_a_field_that_no_connection_can_have_is_refused_by_each_operation(
    api: Client, field: str, value: object, words: str
) -> None:
    body = {"connection_id": "c", "conn_type": "http"}
    wrong = {**body, field: value}
    assert words in str(api.fails(422, "/connections", "POST", wrong))
    api.send("POST", "/connections", body, 201)
    assert words in str(api.fails(422, "/connections/c", "PATCH", wrong))
    assert words in str(api.fails(422, f"/connections/c?update_mask={field}", "PATCH", wrong))
    for action in ("update", "create"):
        answer = api.send(
            "PATCH",
            "/connections",
            {
                "actions": [
                    {"action": action, "entities": [{**wrong, "connection_id": "c" if action == "update" else "d"}]}
                ]
            },
        )
        assert words in str(answer[action]["errors"]), answer
    assert [one[field] for one in api.get("/connections")["connections"]] == [None]


def test_null_in_a_patch_deletes_what_may_be_null_and_is_refused_for_the_rest(api: Client) -> None:
    """Of pools, Variables and connections; one at a time, and in bulk."""
    full = {
        "description": "d",
        "host": "h",
        "login": "l",
        "schema": "s",
        "port": 80,
        "password": "p",
        "extra": '{"a": 1}',
    }
    key = {"connection_id": "c", "conn_type": "http"}
    for send in (
        lambda body: api.send("PATCH", "/connections/c", body),
        lambda body: api.send("PATCH", f"/connections/c?{'&'.join(f'update_mask={name}' for name in full)}", body),
        lambda body: api.send("PATCH", "/connections", {"actions": [{"action": "update", "entities": [body]}]}),
    ):
        api.request("DELETE", "/api/v2/connections/c")
        api.send("POST", "/connections", {**key, **full}, 201)
        send({**key, **dict.fromkeys(full)})
        assert {name: api.get("/connections/c")[name] for name in full} == dict.fromkeys(full)
    api.send("POST", "/variables", {"key": "k", "value": "v", "description": "d"}, 201)
    changed = api.send("PATCH", "/variables/k", {"key": "k", "value": "w", "description": None})
    assert (changed["value"], changed["description"]) == ("w", None)
    api.send("PATCH", "/variables/k", {"key": "k", "value": "w", "description": "again"})
    assert api.send("PATCH", "/variables/k", {"key": "k", "value": "x"})["description"] == "again"
    api.send(
        "PATCH",
        "/variables",
        {"actions": [{"action": "update", "entities": [{"key": "k", "value": "w", "description": None}]}]},
    )
    assert api.get("/variables/k")["description"] is None
    api.send("POST", "/pools", {"name": "p", "slots": 3, "description": "d"}, 201)
    assert api.send("PATCH", "/pools/p", {"description": None})["description"] is None
    for name in ("slots", "include_deferred"):
        assert f"{name} of a pool cannot be null" in api.fails(422, "/pools/p", "PATCH", {name: None})
