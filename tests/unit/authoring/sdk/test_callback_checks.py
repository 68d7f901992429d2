"""What a DAG says about callbacks, inlets and outlets of the wrong type, and the hints of errors in its file."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.authoring.sdk import DAG, Asset, BaseOperator, task
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.signatures.old_arguments import add_suggestion


def warnings_of(dag: DAG) -> list[str]:
    build_dag_spec(dag, "/d.py")
    return list(dag.warnings)


def test_what_cannot_be_called_is_named_with_its_task() -> None:
    with DAG("d", schedule=None, on_failure_callback=["notify", print]) as dag:
        BaseOperator(task_id="t", on_success_callback=5, on_retry_callback=[print], on_skipped_callback=print)
    first, second = warnings_of(dag)
    assert (
        "on_failure_callback= has 'notify' (str), which cannot be called: the callback will fail. Give a function or a notifier."
        in first
    )
    assert "task 't' (" in second and "on_success_callback= has 5 (int), which cannot be called" in second


def test_inlets_and_outlets_that_are_no_assets_are_named() -> None:
    with DAG("d", schedule=None) as dag:
        BaseOperator(task_id="t", outlets="s3://x", inlets=[5, Asset("a")])
    first, second = warnings_of(dag)
    assert "inlets= has 5 (int), which is no asset and has no effect. Give assets, or leave it out." in first
    assert "outlets= has 's3://x' (str), which is no asset and has no effect. Write Asset('s3://x')." in second


@pytest.mark.parametrize(
    ("schedule", "words"),
    [
        ([Asset("a"), "b"], r"a schedule that is a list takes assets, and 'b' \(str\) is none. Write Asset\('b'\)"),
        ([Asset("a"), 5], r"and 5 \(int\) is none"),
        ([], "the schedule is an empty list"),
    ],
)
def test_a_schedule_of_something_else_than_assets_is_named(schedule: list[Any], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        DAG("d", schedule=schedule)


def test_the_hint_of_a_mapping_that_comes_too_late_says_how_to_write_it() -> None:
    with DAG("d", schedule=None):
        made: Any = BaseOperator(task_id="t")
        result: Any = task(task_id="u")(lambda x: x).expand(x=[1])
    with pytest.raises(AttributeError) as late:
        made.expand(retries=[1])
    assert (
        add_suggestion("", late.value)
        == "; an operator is mapped instead of made: BaseOperator.partial(task_id='t', ...).expand(...)"
    )
    with pytest.raises(AttributeError) as twice:
        result.expand(x=[2])
    assert (
        add_suggestion("", twice.value)
        == "; this is the result of a task, and a task is mapped once: give all its arguments to one expand()"
    )
    with pytest.raises(AttributeError) as other:
        object().expand  # type: ignore[attr-defined]
    assert add_suggestion("as it is", other.value) == "as it is"
