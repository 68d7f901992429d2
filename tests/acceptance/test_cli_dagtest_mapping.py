"""`gnomon dags test` of mapped tasks and groups: expansion by the scheduler, elements in attempts, values in other tasks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.patience import PATIENCE_S

MAPPED = """
from datetime import timedelta

from airflow.exceptions import AirflowSkipException
from airflow.providers.standard.operators.bash import BashOperator
from airflow.providers.standard.operators.empty import EmptyOperator
from airflow.providers.standard.triggers.temporal import TimeDeltaTrigger
from airflow.sdk import DAG, BaseOperator, BaseSensorOperator, task, task_group
from airflow.triggers.base import StartTriggerArgs


class WaitSensor(BaseSensorOperator):
    start_from_trigger = True
    start_trigger_args = StartTriggerArgs(
        trigger_cls="airflow.providers.standard.triggers.temporal.TimeDeltaTrigger", trigger_kwargs={}, next_method="complete",
    )

    def __init__(self, *, trigger_kwargs, **kwargs):
        super().__init__(**kwargs)
        self.given = trigger_kwargs

    def complete(self, context, event=None):
        return [self.given["moment"].microseconds, context["ti"].map_index]


class DeferOperator(BaseOperator):
    def __init__(self, *, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n

    def execute(self, context):
        self.defer(trigger=TimeDeltaTrigger(timedelta(milliseconds=self.n)), method_name="done", kwargs={"k": self.n})

    def done(self, context, event, k):
        return [k, self.n]


def without_two(value):
    if value == 2:
        raise AirflowSkipException("two")
    return value


with DAG("mapped", schedule=None):

    @task
    def numbers():
        return [1, 2, 3]

    @task
    def nothing():
        return []

    @task
    def keep(x, y=None):
        return [x, y]

    @task(trigger_rule="none_failed")
    def check(**values):
        expected = {
            "skips": [[1, None], [3, None]],
            "zips": [[(1, 3), "a"], [(1, 3), "b"], [(2, 2), "a"], [(2, 2), "b"], [(3, 1), "a"], [(3, 1), "b"]],
            "waits": [[10_000, 0], [20_000, 1]], "defers": [[1, 1], [2, 2]], "shell": ["0 of 2", "1 of 2"], "zero": [],
            "groups": [[["p", 1], ["q", 1]], [["p", 2], ["q", 2]], [["p", 3], ["q", 3]]],
        }
        for name, value in expected.items():
            assert list(values[name]) == value, (name, list(values[name]))

    many = numbers()
    spans = [{"moment": timedelta(milliseconds=10)}, {"moment": timedelta(milliseconds=20)}]

    @task_group
    def inner(m, n):
        @task.branch
        def choose(m):
            return "outer.inner.left" if m == "p" else "outer.inner.right"

        value = keep.override(task_id="value")(m, n)
        choose(m) >> [EmptyOperator(task_id="left"), EmptyOperator(task_id="right")]
        return value

    @task_group
    def outer(n):
        @task
        def gather(values):
            return list(values)

        return gather(inner.partial(n=n).expand(m=["p", "q"]))

    check(
        skips=keep.override(task_id="skips").expand(x=many.map(without_two)),
        zips=keep.override(task_id="zips").expand(x=many.zip(many.map(lambda n: 4 - n)), y=["a", "b"]),
        waits=WaitSensor.partial(task_id="waits").expand(trigger_kwargs=spans).output,
        defers=DeferOperator.partial(task_id="defers").expand(n=[1, 2]).output,
        shell=BashOperator.partial(task_id="shell").expand(bash_command=["echo {{ ti.map_index }} of {{ expanded_ti_count }}"] * 2).output,
        zero=keep.override(task_id="zero").expand(x=nothing()),
        groups=outer.expand(n=many),
    )
"""
WRONG = """
from airflow.sdk import DAG, task

with DAG("wrong", schedule=None):

    @task(retries=0)
    def give(value):
        return value

    @task
    def use(x):
        return x

    use.override(task_id="of_none").expand(x=give.override(task_id="none")(None))
    use.override(task_id="of_text").expand(x=give.override(task_id="text")("abc"))
    use.override(task_id="of_many").expand(x=give.override(task_id="many")([0] * 2000))
    use.override(task_id="of_three", map_index_template="element {{ ti.map_index }}").expand(x=[0, 1, 2])
"""


@pytest.fixture
def home() -> Iterator[Path]:
    """A short path: sockets are made below it."""
    with tempfile.TemporaryDirectory(prefix="g-") as name:
        (Path(name) / "home" / "dags").mkdir(parents=True)
        yield Path(name) / "home"


def tried(home: Path, text: str) -> dict[str, Any]:
    """What `gnomon dags test` says of the file."""
    file = home / "dags" / "file.py"
    file.write_text(text)
    environ = {**os.environ, "GNOMON_HOME": str(home), "TMPDIR": str(home.parent)}
    command = [sys.executable, "-m", "gnomon", "dags", "test", str(file), "-o", "json"]
    done = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    found: dict[str, Any] = json.loads(done.stdout)
    return {**found, "stderr": done.stderr}


def test_mapped_tasks_and_groups_run_with_their_elements(home: Path) -> None:
    found = tried(home, MAPPED)
    assert found["state"] == "success", found["stderr"]
    states = {(row["task_id"], row["map_index"]): row["state"] for row in found["tasks"]}
    count = Counter(task_id for task_id, _ in states)
    assert (count["skips"], count["zips"], count["outer.inner.value"], count["outer.gather"], count["waits"]) == (
        3,
        6,
        6,
        3,
        2,
    )
    assert [states["skips", index] for index in range(3)] == ["success", "skipped", "success"]
    assert states["zero", -1] == "skipped" and states["check", -1] == "success"
    assert [states["outer.inner.left", index] for index in range(6)] == ["success", "skipped"] * 3
    assert [states["outer.inner.right", index] for index in range(6)] == ["skipped", "success"] * 3


def test_what_cannot_be_mapped_over_fails_its_task_with_the_reason_and_the_rest_runs(home: Path) -> None:
    found = tried(home, WRONG)
    states = {(row["task_id"], row["map_index"]): row["state"] for row in found["tasks"]}
    assert found["state"] == "failed"
    assert [states["of_three", index] for index in range(3)] == ["success"] * 3
    labels = {(row["task_id"], row["map_index"]): row["rendered_map_index"] for row in found["tasks"]}
    assert (labels["of_three", 2], labels["none", -1]) == ("element 2", None)
    assert [states[name, -1] for name in ("none", "text", "many", "of_none", "of_text", "of_many")] == [
        "failed",
        "failed",
        "success",
        "upstream_failed",
        "upstream_failed",
        "failed",
    ]
    assert "none failed: XComForMappingNotPushed: task 'of_none'" in found["stderr"]
    assert (
        "text failed: UnmappableXComTypePushed" in found["stderr"]
        and "it returned a str; return a list or a dict" in found["stderr"]
    )
    assert "2000 elements; [core] max_map_length allows 1024" in found["stderr"]
