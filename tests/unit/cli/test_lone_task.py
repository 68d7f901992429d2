"""The DAG of one task that `gnomon tasks test` runs."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.cli.deployment import spec_of

from gnomon.cli.trial.dag_search import ParsedTarget
from gnomon.cli.trial.lone_task import isolate_task
from gnomon.errors.product import UserError
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec


def _target(spec: DagSpec) -> ParsedTarget:
    dag = ParsedDag(spec=spec, spec_hash="1")
    return ParsedTarget(ParsedFile(path="/dags/a.py", inputs=FileInputs(input_hash="1"), dags=(dag,)), dag)


def test_the_task_stands_alone() -> None:
    task = TaskSpec(task_id="g.y", upstream=("x",), retries=3, depends_on_past=True, trigger_rule="one_failed", group="g", start_at=5, pool="p")
    spec = msgspec.structs.replace(spec_of("a", {"x": ()}), groups={"g": None}, run_callbacks=("on_failure",), start_at=5)
    lone = isolate_task(_target(msgspec.structs.replace(spec, tasks=(*spec.tasks, task))), "g.y").dag.spec
    assert lone.tasks == (TaskSpec(task_id="g.y", pool="p"),)
    assert (lone.run_callbacks, lone.start_at, lone.groups) == ((), None, {})


def test_an_unknown_task_gets_a_suggestion() -> None:
    with pytest.raises(UserError, match="there is no task 'lod' in DAG 'a'; did you mean 'load'"):
        isolate_task(_target(spec_of("a", {"load": ()})), "lod")
