"""The elements that an instance of a mapped task gets come with its attempt; what did not come is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conformance.workerworld import WorkerWorld

from gnomon.model.attempts import ElementSource

FILE = """
from gnomon import DAG, task

with DAG("d", schedule=None):

    @task
    def up():
        return [1, 2, 3]

    @task
    def t(x):
        return x

    t.expand(x=up())
    t.override(task_id="unreadable").expand(x=up())
"""
LENGTHS = ((3,),)


@pytest.fixture(scope="module")
def file(world: WorkerWorld) -> Path:
    path = world.home / "mapped_over_xcom.py"
    path.write_text(FILE)
    return path


def instance(world: WorkerWorld, file: Path, number: int, **fields: object) -> str:
    """The value that the instance returned, as JSON text."""
    elements = (ElementSource(task_id="up", number=number, seq=1),)
    facts = {"map_index": number, "factor_lengths": LENGTHS, "expanded_count": 3, "elements": elements}
    result = world.run(world.attempt(file, **{**facts, **fields}))
    assert result.outcome == "success", result
    return result.xcoms[0].value


@pytest.mark.parametrize("attempts_per_child", [1, 5])
def test_an_element_that_comes_with_the_attempt_is_not_asked_for(
    world: WorkerWorld, file: Path, attempts_per_child: int
) -> None:
    assert [instance(world, file, number, attempts_per_child=attempts_per_child) for number in (1, 2, 0)] == [
        "10",
        "20",
        "0",
    ]


def test_an_attempt_asks_for_what_did_not_come_with_it(world: WorkerWorld, file: Path) -> None:
    other = (ElementSource(task_id="up", number=2, seq=1), ElementSource(task_id="other", number=1, seq=1))
    assert instance(world, file, 1, elements=other) == '"asked for 1"'
    assert instance(world, file, 1, attempts_per_child=5) == "10"
    assert instance(world, file, 1, attempts_per_child=5, elements=()) == '"asked for 1"', (
        "not what came with the attempt before"
    )


def test_a_new_interpreter_asks_after_the_import(world: WorkerWorld, file: Path) -> None:
    assert instance(world, file, 1, fresh=True) == '"asked for 1"'


def test_an_error_of_the_reader_leaves_the_question_to_the_attempt(world: WorkerWorld, file: Path) -> None:
    assert instance(world, file, 1, task_id="unreadable") == '"asked for 1"'
