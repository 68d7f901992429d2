"""Cluster policies of a task: it sees what they set, what has no effect is named, and one that hangs or exits fails the attempt alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from gnomon.author_code.loading import cluster_policies
from gnomon.author_code.runner import policy_calls, run_attempt
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.sdk import DAG
from gnomon.authoring.sdk.connections.channel import install_channel
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.model.attempts import Attempt, AttemptResult, InstanceOverrides, RunFacts


class Silent:
    def ask(self, question: object) -> object:
        return None


Run = Callable[..., AttemptResult]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Run]:
    """Runs a task under the policies of this text."""
    before = current_config()
    set_current_config(load_config({}, tmp_path))
    monkeypatch.setattr(policy_calls, "POLICY_TIMEOUT_S", 0.2)
    monkeypatch.setenv("TEAM", "")

    def look(ti: Any) -> str | None:
        ti.xcom_push("seen", [ti.queue, ti.pool, ti.pool_slots, ti.priority_weight, ti.executor])
        return os.environ.get("TEAM")

    def run_under(policies: str, overrides: InstanceOverrides | None = None) -> AttemptResult:
        (tmp_path / "config").mkdir(exist_ok=True)
        (tmp_path / "config" / "airflow_local_settings.py").write_text(policies)
        cluster_policies.load_policies()
        dag = DAG("d", schedule=None)
        PythonOperator(task_id="t", python_callable=look, dag=dag, pool="small")
        facts = RunFacts(run_pk=7, dag_id="d", run_id="r", run_type="manual", run_after=0, logical_at=0)
        attempt = Attempt(
            attempt_id="a", group_no=3, epoch=1, run=facts, task_id="t", task_no=5, file="/d.py", overrides=overrides
        )
        return run_attempt(dag, attempt, Silent())

    yield run_under
    install_channel(None)
    cluster_policies.forget_policies()
    set_current_config(before)


def test_the_task_sees_what_the_hook_set_before_and_the_log_names_what_has_no_effect(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    overrides = InstanceOverrides(
        try_number=0,
        queue="big",
        pool_slots=2,
        priority_weight=9,
        executor="mine",
        without_effect=("note", "run_as_user"),
    )
    result = run(
        "def task_instance_mutation_hook(ti):\n    raise ValueError('the worker does not call it')\n", overrides
    )
    assert result.outcome == "success"
    assert {item.key: item.value for item in result.xcoms}["seen"] == '["big", "small", 2, 9, "mine"]'
    (warning,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert warning.startswith(
        "task_instance_mutation_hook set note, run_as_user, which has no effect: only queue, pool, pool_slots, priority_weight and executor"
    )


def test_a_policy_that_hangs_is_ended_and_named(run: Run, tmp_path: Path) -> None:
    name = "get_airflow_context_vars"
    result = run(f"import time\ndef {name}(*_):\n    time.sleep(600)\n")
    place = f"{tmp_path}/config/airflow_local_settings.py, line 3"
    assert (result.outcome, result.reason) == (
        "failed",
        (
            f"ClusterPolicyFailed: the cluster policy {name} did not return within its time limit, and was ended at {place}; make it faster, or remove it"
        ),
    )


def test_a_policy_that_exits_is_named(run: Run) -> None:
    result = run("import sys\ndef get_airflow_context_vars(context):\n    sys.exit(3)\n")
    assert result.outcome == "failed" and result.reason is not None
    assert (
        "the cluster policy get_airflow_context_vars failed at" in result.reason
        and "line 3: SystemExit: 3" in result.reason
    )


def test_the_variables_of_the_policy_are_in_the_environment_of_the_task(run: Run) -> None:
    result: Any = run("def get_airflow_context_vars(context):\n    return {'TEAM': 'us'}\n")
    assert {item.key: item.value for item in result.xcoms}["return_value"] == '"us"'
