"""A pattern of an author that takes minutes stops no request of others: the api-server itself matches no such pattern."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.databases import new_database
from tests.unit.api.conftest import _served
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import HOURLY, NOW, Deployment, spec_of

from gnomon.authoring.sdk.arguments import json_schema
from gnomon.entry.cli.deployment.home import Home
from gnomon.ground.clock import VirtualClock
from gnomon.ground.config import load_config
from gnomon.model.deferral import Deferral
from gnomon.model.hitl import HITLRequest
from gnomon.model.spec import ParamSpec
from gnomon.testing import Play

ENDLESS = "^([a-z]+)+$"
LETTERS = "a" * 40 + "!"
QUICK = {"x": "ABC"}
"""Does not match either, which is found at once: what is tested is where."""
DOORS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "trigger": ("POST", "/api/v2/dags/a/dagRuns", {"logical_date": None, "conf": QUICK}),
    "preview of a run": ("POST", "/api/gnomon/v1/dags/a/runPreview", {"logical_date": None, "conf": QUICK}),
    "backfill": (
        "POST",
        "/api/v2/backfills",
        {"dag_id": "a", "from_date": "2026-01-01T00:00:00Z", "to_date": "2026-01-01T02:00:00Z", "dag_run_conf": QUICK},
    ),
    "backfill, dry": (
        "POST",
        "/api/v2/backfills/dry_run",
        {"dag_id": "a", "from_date": "2026-01-01T00:00:00Z", "to_date": "2026-01-01T02:00:00Z", "dag_run_conf": QUICK},
    ),
    "preview of a backfill": (
        "POST",
        "/api/gnomon/v1/dags/a/backfillPreview",
        {"from_date": "2026-01-01T00:00:00Z", "to_date": "2026-01-01T02:00:00Z", "dag_run_conf": QUICK},
    ),
    "command over the API": ("POST", "/api/gnomon/v1/dags/a/operations/runs.trigger", {"conf": QUICK}),
    "answer": (
        "PATCH",
        "/api/v2/dags/q/dagRuns/r/taskInstances/ask/-1/hitlDetails",
        {"chosen_options": ["yes"], "params_input": QUICK},
    ),
}


@pytest.fixture
def deployment(tmp_path: Path) -> Iterator[Deployment]:
    """One whose DAG `a` has a param with such a pattern, and whose task `ask` asks for one; run ids must match another."""
    with new_database("sqlite", tmp_path) as url:
        clock = VirtualClock(NOW)
        options = {
            "GNOMON__DATABASE__SQL_ALCHEMY_CONN": url,
            "GNOMON__SCHEDULER__ALLOWED_RUN_ID_PATTERN": "^([a-z]+)+$",
        }
        made = Deployment(Home(load_config(options, tmp_path / "home"), clock, clock.advance), clock)
        params = {"x": ParamSpec(default="a", schema={"type": "string", "pattern": ENDLESS})}
        made.add(spec_of("a", timetable=HOURLY, params=params), spec_of("q", {"ask": ()}), spec_of("plain"))
        question = HITLRequest(
            subject="?", options=("yes",), params={"x": {"value": "a", "schema": {"pattern": ENDLESS}}}
        )
        made.plays["ask"] = Play(
            outcome="awaiting_input",
            wait=Deferral(classpath="TaskAwaitingInput", next_method="execute_complete", hitl=question),
        )
        made.start()
        yield made
        made.close()


@pytest.fixture
def api(deployment: Deployment) -> Iterator[Client]:
    with _served(deployment) as client:
        client.send("POST", "/dags/q/dagRuns", {"logical_date": None, "dag_run_id": "r"})
        deployment.move()
        deployment.plays.clear()
        yield client


def test_no_door_matches_a_pattern_in_the_api_server(api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(value: Any, schema: Any) -> None:
        raise AssertionError(f"{schema} is checked in the api-server")

    monkeypatch.setattr(json_schema, "find_schema_violation", fail)
    for door, (method, path, body) in DOORS.items():
        reply = api.request(method, path, body)
        assert (door, "must match pattern" in reply.body.decode()) == (door, True)


def test_a_pattern_without_an_end_is_refused_and_others_are_answered_meanwhile(api: Client) -> None:
    """On a machine that gives the check no second of processor time meanwhile, the time that any question has ends first, with a sentence of its own."""
    replies = []
    slow = threading.Thread(
        target=lambda: replies.append(
            api.request("POST", "/api/v2/dags/a/dagRuns", {"logical_date": None, "conf": {"x": LETTERS}})
        )
    )
    slow.start()
    answered = 0
    while slow.is_alive():
        assert api.get("/dags/plain")["dag_id"] == "plain"
        answered += 1
    slow.join()
    assert replies[0].status == 400
    detail = replies[0].json()["detail"]
    assert (
        "the pattern of param 'x' took longer than 1 s of processor time" in detail
        or "param 'x' cannot be checked: validate did not answer within" in detail
    )
    assert answered > 10


def test_a_run_id_is_matched_elsewhere_by_a_pattern_that_may_be_endless(api: Client) -> None:
    """The pattern is the operator's, the text a user's."""
    reply = api.request("POST", "/api/v2/dags/plain/dagRuns", {"logical_date": None, "dag_run_id": LETTERS})
    assert (reply.status, "does not match" in reply.json()["detail"]) == (400, True)
    assert api.send("POST", "/dags/plain/dagRuns", {"logical_date": None, "dag_run_id": "fine"})["dag_run_id"] == "fine"
