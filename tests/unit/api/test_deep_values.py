"""Values that are nested too deeply are refused, before they are stored: an answer could not show them, and a list of runs would fail for everybody."""

from __future__ import annotations

import json

import pytest
from tests.unit.api.served import Client
from tests.unit.entry.cli.deployment import Deployment, spec_of

from gnomon.api.common.shapes import DEPTH_MAX, has_depth_at_most
from gnomon.model.attempts import XComItem
from gnomon.testing import Play


def _nested(levels: int) -> object:
    return json.loads("[" * levels + "]" * levels)


@pytest.fixture
def ended(api: Client, deployment: Deployment) -> Client:
    """Run r of DAG a has ended; its task has pushed a value of 300 levels."""
    deployment.add(spec_of("a"))
    deployment.plays["only"] = Play(xcoms=(XComItem(key="deep", value="[" * 300 + "]" * 300),))
    deployment.start()
    api.send("POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "r"})
    deployment.move(20)
    return api


@pytest.mark.parametrize(("value", "depth"), [(1, 0), ([], 1), ({}, 1), ([1, {"a": [2]}], 3), ("[[[", 0), (None, 0)])
def test_the_depth_of_a_value(value: object, depth: int) -> None:
    assert has_depth_at_most(value, depth)
    assert depth == 0 or not has_depth_at_most(value, depth - 1)


def test_a_run_with_a_deep_conf_is_refused_and_the_list_stays_readable(ended: Client) -> None:
    for levels in (DEPTH_MAX, 260, 900):
        body = {"logical_date": None, "dag_run_id": "deep", "conf": {"a": _nested(levels)}}
        assert f"more than {DEPTH_MAX} levels" in str(ended.fails(422, "/dags/a/dagRuns", "POST", body))
    ended.send(
        "POST", "/dags/a/dagRuns", {"logical_date": None, "dag_run_id": "flat", "conf": {"a": _nested(DEPTH_MAX - 2)}}
    )
    assert {run["dag_run_id"] for run in ended.get("/dags/a/dagRuns")["dag_runs"]} == {"r", "flat"}


def test_a_deep_xcom_is_refused(ended: Client) -> None:
    xcoms = "/dags/a/dagRuns/r/taskInstances/only/xcomEntries"
    assert "levels" in str(ended.fails(422, xcoms, "POST", {"key": "more", "value": _nested(DEPTH_MAX + 1)}))
    assert "levels" in str(ended.fails(422, f"{xcoms}/deep", "PATCH", {"value": _nested(DEPTH_MAX + 1)}))


def test_a_value_that_a_task_has_nested_too_deeply_is_named(ended: Client) -> None:
    xcoms = "/dags/a/dagRuns/r/taskInstances/only/xcomEntries"
    assert "nested too deeply" in ended.fails(501, f"{xcoms}/deep")
    assert len(ended.get(xcoms)["xcom_entries"]) == 1


def test_a_deep_text_of_a_connection_is_refused(api: Client) -> None:
    body = {"connection_id": "c", "conn_type": "http", "extra": '{"a":' * 5000 + "1" + "}" * 5000}
    assert "nested" in str(api.fails(400, "/connections", "POST", body))
    assert api.get("/connections")["connections"] == []
