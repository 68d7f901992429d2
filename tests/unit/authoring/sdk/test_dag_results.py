"""Which tasks return a result of their run."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.authoring.sdk import DAG, result, task
from gnomon.authoring.sdk.dags.dag_decorators import dag
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec


@task
def give(value: int = 1) -> int:
    return value


def results(of: DAG) -> list[str]:
    return [spec.task_id for spec in build_dag_spec(of, "f.py").spec.tasks if spec.returns_dag_result]


def test_add_result_returns_its_argument_and_marks_the_task() -> None:
    with DAG("a", schedule=None) as made:
        arg = give()
        give()
    assert made.add_result(arg) is arg
    assert results(made) == ["give"]


def test_a_decorated_function_and_its_overrides_and_mapped_tasks_return_results() -> None:
    marked = result(give.override(task_id="one"))
    with DAG("a", schedule=None) as made:
        marked()
        marked.override(task_id="two")()
        marked.override(task_id="three").expand(value=[1, 2])
        give()
    assert results(made) == ["one", "two", "three"]


@pytest.mark.parametrize(("returned", "expected"), [("call", ["give"]), ("key", []), ("number", []), ("list", [])])
def test_what_the_function_of_a_dag_returns_is_a_result_if_it_is_that_of_a_task(
    returned: str, expected: list[str]
) -> None:
    @dag(schedule=None)
    def made() -> Any:
        arg = give()
        return {"call": arg, "key": arg["part"], "number": 123, "list": [arg]}[returned]

    assert results(made()) == expected


def test_what_is_no_result_of_a_task_is_refused_with_the_remedy() -> None:
    made = DAG("a", schedule=None)
    with made:
        part = give()["part"]
    for value in (part, 123):
        with pytest.raises(
            ValueError,
            match=r"DAG 'a'.*test_dag_results.py:\d+.*Only plain return value can be used as dag result: give it",
        ):
            made.add_result(value)
    with pytest.raises(
        TypeError,
        match=r"@result must be used on top of a @task-decorated function, not .*\. Write @result in the line above @task",
    ):
        result(lambda: 1)
