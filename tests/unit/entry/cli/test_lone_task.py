"""The DAG of one task that `gnomon tasks test` runs."""

from __future__ import annotations

import msgspec
import pytest
from tests.unit.entry.cli.deployment import spec_of

from gnomon.entry.cli.trial.dag_search import ParsedTarget
from gnomon.entry.cli.trial.lone_task import isolate_task
from gnomon.model.errors.product import UserError
from gnomon.model.mapping import Expansion, Length, LiteralLength, XComLength
from gnomon.model.spec import DagSpec, FileInputs, ParsedDag, ParsedFile, TaskSpec

pytestmark = pytest.mark.pure


def _target(spec: DagSpec) -> ParsedTarget:
    dag = ParsedDag(spec=spec, spec_hash="1")
    return ParsedTarget(ParsedFile(path="/dags/a.py", inputs=FileInputs(input_hash="1"), dags=(dag,)), dag)


def test_the_task_stands_alone() -> None:
    task = TaskSpec(
        task_id="g.y",
        upstream=("x",),
        retries=3,
        depends_on_past=True,
        trigger_rule="one_failed",
        group="g",
        start_at=5,
        pool="p",
    )
    spec = msgspec.structs.replace(
        spec_of("a", {"x": ()}), groups={"g": None}, run_callbacks=("on_failure",), start_at=5
    )
    lone = isolate_task(_target(msgspec.structs.replace(spec, tasks=(*spec.tasks, task))), "g.y").dag.spec
    assert lone.tasks == (TaskSpec(task_id="g.y", pool="p"),)
    assert (lone.run_callbacks, lone.start_at, lone.groups) == ((), None, {})


def test_an_unknown_task_gets_a_suggestion() -> None:
    with pytest.raises(UserError, match="there is no task 'lod' in DAG 'a'; did you mean 'load'"):
        isolate_task(_target(spec_of("a", {"load": ()})), "lod")


def _mapped(*factors: Length) -> ParsedTarget:
    task = TaskSpec(task_id="m", upstream=("x",), expansion=Expansion(factors=factors))
    spec = spec_of("a", {"x": ()})
    return _target(msgspec.structs.replace(spec, tasks=(*spec.tasks, task)))


def test_an_instance_of_a_task_that_is_mapped_over_values_of_the_file_stands_alone() -> None:
    lone = isolate_task(_mapped(LiteralLength(length=3)), "m", 2).dag.spec
    assert lone.tasks == (TaskSpec(task_id="m", expansion=Expansion(factors=(LiteralLength(length=3),))),)


@pytest.mark.parametrize(
    ("target", "task_id", "map_index", "message"),
    [
        (
            _mapped(LiteralLength(length=3)),
            "m",
            None,
            r"is mapped and has 3 instances; name one of them: 'm\[0\]' to 'm\[2\]'",
        ),
        (
            _mapped(LiteralLength(length=3)),
            "m",
            3,
            r"is mapped and has no map index 3; name one of them: 'm\[0\]' to 'm\[2\]'",
        ),
        (_mapped(LiteralLength(length=0)), "m", 0, "is mapped over nothing and has no instances"),
        (
            _mapped(XComLength(task_id="x")),
            "m",
            1,
            "its instances depend on what other tasks return; `gnomon dags test a` runs the whole DAG",
        ),
        (
            _mapped(LiteralLength(length=3)),
            "x",
            1,
            "task 'x' of DAG 'a' is not mapped and has no map index 1; name it without an index: x",
        ),
    ],
)
def test_an_instance_that_does_not_exist_or_that_needs_other_tasks_is_refused(
    target: ParsedTarget, task_id: str, map_index: int | None, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        isolate_task(target, task_id, map_index)
