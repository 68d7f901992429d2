"""Options that act in the process of a task, each seen where it matters: in what the task stores, and in what it starts."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.acceptance.effects import effect_of, options
from tests.conformance.workerworld import WorkerWorld

from gnomon.author_code.runner import run_attempt
from gnomon.authoring.sdk import DAG
from gnomon.ground.config import set_current_config
from gnomon.model.attempts import Attempt, AttemptResult, RunFacts
from gnomon.operators import PythonOperator, PythonVirtualenvOperator
from gnomon.queries.report.listings.log_pages import split_line


class Nobody:
    """A channel that knows nothing."""

    def ask(self, question: object) -> object:
        return None


@pytest.fixture(autouse=True)
def default_options() -> Iterator[None]:
    yield
    set_current_config(None)
    sys.modules.pop("upside_down", None)


def run(dag: DAG) -> AttemptResult:
    facts = RunFacts(run_pk=1, dag_id="d", run_id="r", run_type="manual", run_after=0)
    return run_attempt(
        dag, Attempt(attempt_id="a", group_no=0, epoch=1, run=facts, task_id="t", task_no=0, file=__file__), Nobody()
    )


@effect_of("core.xcom_backend")
def test_the_xcom_backend_serializes_what_a_task_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "upside_down.py").write_text(
        "from gnomon.authoring.sdk.runtime.xcom import BaseXCom\n"
        "class Backend(BaseXCom):\n"
        "    @staticmethod\n"
        "    def serialize_value(value, *, task_id, key, **names):\n"
        "        return BaseXCom.serialize_value(f'{task_id}.{key}: {value[::-1]}')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    dag = DAG("d", schedule=None)
    PythonOperator(task_id="t", python_callable=lambda: "abc", dag=dag)
    found = []
    for backend in ("upside_down.Backend", "airflow.sdk.execution_time.xcom.BaseXCom"):
        set_current_config(options(tmp_path, core__xcom_backend=backend))
        found += [item.value for item in run(dag).xcoms]
    assert found == ['"t.return_value: cba"', '"abc"']


@effect_of("core.allowed_deserialization_classes", "core.allowed_deserialization_classes_regexp")
def test_an_object_is_read_back_when_its_class_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "upside_down.py").write_text(
        "import dataclasses\n@dataclasses.dataclass\nclass Order:\n    number: int\n"
    )
    monkeypatch.syspath_prepend(tmp_path)

    def push_and_pull(ti: Any) -> int:
        from upside_down import Order

        ti.xcom_push("order", Order(5))
        number: int = ti.xcom_pull(task_ids="t", key="order").number
        return number

    dag = DAG("d", schedule=None)
    PythonOperator(task_id="t", python_callable=push_and_pull, dag=dag)
    found = []
    for globs, regexps in (("airflow.*", ""), ("airflow.* upside_down.*", ""), ("airflow.*", r"upside_down\.[A-Z]\w+")):
        set_current_config(
            options(
                tmp_path,
                core__allowed_deserialization_classes=globs,
                core__allowed_deserialization_classes_regexp=regexps,
            )
        )
        ended = run(dag)
        found.append((ended.outcome, (ended.reason or "").split(":")[0]))
    assert found == [("failed", "ClassNotAllowed"), ("success", ""), ("success", "")]


@effect_of("core.max_templated_field_length")
def test_rendered_fields_are_kept_up_to_the_length(tmp_path: Path) -> None:
    dag = DAG("d", schedule=None)
    PythonOperator(task_id="t", python_callable=lambda **_: None, op_kwargs={"text": "{{ 'x' * 50 }}"}, dag=dag)
    found = []
    for length in (10, 4096):
        set_current_config(options(tmp_path, core__max_templated_field_length=length))
        found.append(json.loads(run(dag).rendered_fields or "null"))
    assert found == [{"op_kwargs": {"text": "xxxxxx…"}}, {"op_kwargs": {"text": "x" * 50}}]


@effect_of("standard.venv_install_method")
@pytest.mark.parametrize(("method", "is_used"), [("auto", True), ("uv", True), ("pip", False)])
def test_the_install_method_chooses_what_builds_an_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, is_used: bool
) -> None:
    uv = tmp_path / "uv"
    uv.write_text(f"#!/bin/sh\ntouch {tmp_path}/used\nexit 3\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    set_current_config(options(tmp_path, standard__venv_install_method=method))
    dag = DAG("d", schedule=None)
    PythonVirtualenvOperator(task_id="t", python_callable=_nothing, python_version="3.0", dag=dag)
    assert run(dag).outcome == "failed"
    assert (tmp_path / "used").exists() is is_used


@effect_of("workers.task_nice")
@pytest.mark.parametrize(
    ("option", "above"), [({}, 5), ({"GNOMON__WORKERS__TASK_NICE": "0"}, 0), ({"GNOMON__WORKERS__TASK_NICE": "12"}, 12)]
)
def test_a_task_has_a_nice_value_above_that_of_its_worker(tmp_path: Path, option: dict[str, str], above: int) -> None:
    world = WorkerWorld(tmp_path / "w", environ=option)
    try:
        attempt = world.attempt(world.dag("polite", "import os\nprint('nice', os.nice(0))"))
        assert world.run(attempt).outcome == "success"
        assert f"nice {min(19, os.nice(0) + above)}" in world.log_of(attempt)
    finally:
        world.close()


PRINTS = """
import os, sys
print("one", 2)
print()
print("first", end=" ", flush=True)
print("second", "third\\nfourth", file=sys.stdout)
print("wrong", file=sys.stderr)
os.system("echo from a program")
"""


@effect_of("logging.print_times")
@pytest.mark.parametrize("is_on", [False, True])
def test_what_a_task_prints_has_its_time_if_the_option_asks_for_it(tmp_path: Path, is_on: bool) -> None:
    world = WorkerWorld(tmp_path / "w", environ={"GNOMON__LOGGING__PRINT_TIMES": str(is_on)})
    try:
        attempt = world.attempt(world.dag("talks", PRINTS))
        assert world.run(attempt).outcome == "success"
        lines = world.log_of(attempt).splitlines()
    finally:
        world.close()
    printed = ["one 2", "first second third", "fourth", "wrong"]
    found = [split_line(line) for line in lines]
    assert [row["event"] for row in found if row["event"] in (*printed, "", "from a program")] == [
        "one 2",
        "",
        *printed[1:],
        "from a program",
    ]
    timed = [(row["event"], row["level"]) for row in found if "timestamp" in row and row["event"] in printed]
    assert timed == [(text, "info") for text in printed if is_on]
    assert not any("timestamp" in row for row in found if row["event"] in ("", "from a program"))


def _nothing() -> None:
    """Do nothing."""
