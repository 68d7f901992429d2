"""The constants of defaults in Airflow's modules: those that operators of this installation have."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gnomon.authoring.sdk.arguments.converters import ID_MAX

MODULES = ("airflow.models.abstractoperator", "airflow.sdk.definitions._internal.abstractoperator")
SCRIPT = """
import importlib, sys
from gnomon.author_code.loading import dialect
dialect.enable()
from airflow.sdk import DAG, BaseOperator
module = importlib.import_module(sys.argv[1])
with DAG("d", schedule=None):
    task = BaseOperator(task_id="a")
print(module.DEFAULT_QUEUE, module.DEFAULT_OWNER, module.DEFAULT_RETRIES, module.DEFAULT_RETRY_DELAY.total_seconds(), module.MAX_RETRY_DELAY)
for name in ("queue", "owner", "retries", "retry_delay", "pool", "pool_slots", "priority_weight", "trigger_rule", "execution_timeout", "executor",
             "email_on_failure", "email_on_retry", "ignore_first_depends_on_past", "wait_for_past_depends_before_skipping"):
    long = {"pool": "POOL_NAME", "execution_timeout": "TASK_EXECUTION_TIMEOUT"}.get(name, name.upper())
    assert getattr(task, name) == getattr(module, "DEFAULT_" + long), name
"""


@pytest.mark.ordinary
@pytest.mark.parametrize("module", MODULES)
def test_the_defaults_follow_the_options_and_are_those_of_a_task(module: str) -> None:
    options = {
        "AIRFLOW__OPERATORS__DEFAULT_QUEUE": "fast",
        "AIRFLOW__OPERATORS__DEFAULT_OWNER": "me",
        "AIRFLOW__CORE__DEFAULT_TASK_RETRIES": "4",
        "AIRFLOW__CORE__DEFAULT_TASK_RETRY_DELAY": "7",
    }
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, module], env=options, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["fast", "me", "4", "7.0", "86400"]


def test_the_longest_id_is_that_which_dags_and_tasks_may_have() -> None:
    from airflow.models.base import ID_LEN

    assert ID_LEN == ID_MAX == 250
