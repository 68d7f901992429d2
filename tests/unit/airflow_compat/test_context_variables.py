"""`context_to_airflow_vars`: the names and values that hooks and operators give to other programs."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace

import pytest

from gnomon.airflow_compat.context_variables import AIRFLOW_VAR_NAME_FORMAT_MAPPING, context_to_airflow_vars
from gnomon.author_code.loading import cluster_policies

CONTEXT = {
    "task": SimpleNamespace(email=["a@example.org", "b@example.org"], owner="me"),
    "task_instance": SimpleNamespace(dag_id="d", task_id="t", try_number=2),
    "dag_run": SimpleNamespace(run_id="r", logical_date=dt.datetime(2026, 1, 2, tzinfo=dt.UTC)),
}


@pytest.fixture
def policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A cluster policy that adds a variable without a prefix, and one with each prefix."""
    answer = {"team": "x", "airflow.ctx.a": "1", "AIRFLOW_CTX_B": "2"}
    monkeypatch.setattr(cluster_policies, "known_policies", lambda: SimpleNamespace(call=lambda *_: [answer]))


def test_the_names_have_dots_or_are_those_of_the_environment() -> None:
    assert context_to_airflow_vars(CONTEXT) == {
        "airflow.ctx.dag_email": "a@example.org,b@example.org",
        "airflow.ctx.dag_owner": "me",
        "airflow.ctx.dag_id": "d",
        "airflow.ctx.task_id": "t",
        "airflow.ctx.logical_date": "2026-01-02T00:00:00+00:00",
        "airflow.ctx.try_number": "2",
        "airflow.ctx.dag_run_id": "r",
    }
    names = {form["default"]: form["env_var_format"] for form in AIRFLOW_VAR_NAME_FORMAT_MAPPING.values()}
    assert context_to_airflow_vars(CONTEXT, in_env_var_format=True) == {
        names[name]: text for name, text in context_to_airflow_vars(CONTEXT).items()
    }


def test_what_the_context_does_not_have_has_no_variable() -> None:
    assert context_to_airflow_vars({"task": SimpleNamespace(owner="")}) == {}
    assert context_to_airflow_vars({"dag_run": SimpleNamespace(run_id="r", logical_date=None)}) == {
        "airflow.ctx.dag_run_id": "r"
    }


@pytest.mark.usefixtures("policy")
def test_the_variables_of_the_cluster_policy_get_the_prefix_that_they_lack() -> None:
    assert context_to_airflow_vars({}) == {
        "airflow.ctx.team": "x",
        "airflow.ctx.a": "1",
        "airflow.ctx.AIRFLOW_CTX_B": "2",
    }
    assert context_to_airflow_vars({}, True)["AIRFLOW_CTX_TEAM"] == "x"
    assert context_to_airflow_vars({}, True)["AIRFLOW_CTX_B"] == "2"
