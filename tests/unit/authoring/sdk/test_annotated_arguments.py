"""Arguments of Gnomon's operators are checked against their annotations where they are written."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest

from gnomon.authoring.operators.bash import BashOperator, BashSensor
from gnomon.authoring.operators.python import PythonOperator
from gnomon.authoring.operators.trigger_dag_run import TriggerDagRunOperator
from gnomon.authoring.operators.virtualenv import PythonVirtualenvOperator
from gnomon.authoring.sdk import DAG, task
from gnomon.authoring.sdk.arguments.resolvable import LiteralValue
from gnomon.authoring.sdk.tasks.operator import BaseOperator

WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (BashOperator, {"append_env": "False"}, "append_env must be True or False, not 'False' (str)"), (BashOperator, {"output_encoding": None}, "output_encoding must be text, not None (NoneType)"),
    (BashOperator, {"env": {1: "a"}}, "env must be a dict with texts as keys or None, not {1: 'a'} (dict)"), (BashOperator, {"output_processor": "json"}, "output_processor must be a function, not 'json' (str)"),
    (BashOperator, {"output_encoding": "a\0"}, "output_encoding contains a null character"), (BashSensor, {"retry_exit_code": 10**30}, "retry_exit_code must be a whole number or None"),
    (TriggerDagRunOperator, {"poke_interval": float("nan")}, "poke_interval must be a timedelta or a number from 0 to 1e+09, not nan (float)"),
    (TriggerDagRunOperator, {"poke_interval": -1}, "poke_interval must be a timedelta or a number from 0"), (TriggerDagRunOperator, {"note": dt.datetime(2024, 3, 4)}, "note must be text or None"),
    (PythonVirtualenvOperator, {"requirements": 5}, "requirements must be a list of texts or text or None, not 5 (int)"), (PythonOperator, {"templates_exts": ".sql"}, "templates_exts must be a list of texts or None"),
]  # fmt: skip
REQUIRED: dict[Any, dict[str, Any]] = {
    BashOperator: {"bash_command": "true"},
    BashSensor: {"bash_command": "true"},
    TriggerDagRunOperator: {"trigger_dag_id": "e"},
    PythonVirtualenvOperator: {"python_callable": lambda: None},
    PythonOperator: {"python_callable": lambda: None},
}


@pytest.mark.parametrize(
    ("kind", "given", "words"), WRONG, ids=lambda one: next(iter(one)) if isinstance(one, dict) else ""
)
def test_a_value_that_is_not_of_the_annotation_is_refused_at_each_door_of_a_file(
    kind: Any, given: dict[str, Any], words: str
) -> None:
    """By itself, among the default arguments, and mapped: as the argument of all instances, and as the element of one."""
    others = {"task_id": "t", **REQUIRED[kind]}
    ((name, value),) = given.items()
    makers = {
        "made": lambda: kind(**others, **given),
        "default_args": lambda: kind(**others, default_args=given),
        "partial": lambda: kind.partial(**others, **given).expand_kwargs([{}]),
        "expand": lambda: kind.partial(**others).expand(**{name: [value]}),
        "expand_kwargs": lambda: kind.partial(**others).expand_kwargs([given]),
    }
    for door, make in makers.items():
        with DAG("d", schedule=None), pytest.raises((TypeError, ValueError)) as found:
            make()
        if door == "default_args" or words.startswith(name):
            assert words in str(found.value), (door, found.value)
            assert "Task 't' (" in str(found.value) and "test_annotated_arguments.py:" in str(found.value), (
                door,
                found.value,
            )


def do_nothing() -> None:
    """What a task calls."""


def test_templates_results_and_functions_stand_for_values_of_template_fields() -> None:
    with DAG("d", schedule=None) as dag:
        result: Any = task(task_id="up")(lambda: {"A": "b"})()
        BashOperator(task_id="one", bash_command="true", env=result, cwd="{{ var.value.folder }}", append_env=None)  # type: ignore[arg-type]
        BashOperator(task_id="two", bash_command=LiteralValue("true"), env="{{ env }}")  # type: ignore[arg-type]
        TriggerDagRunOperator(
            task_id="three",
            trigger_dag_id=result,
            wait_for_completion="{{ params.wait }}",
            poke_interval=dt.timedelta(minutes=1),
        )  # type: ignore[arg-type]
        PythonVirtualenvOperator(
            task_id="four", python_callable=do_nothing, requirements=lambda context, jinja_env: ["a"]
        )  # type: ignore[arg-type]
    assert set(dag.task_dict) == {"up", "one", "two", "three", "four"}
    assert dag.get_task("three").poke_interval == 60.0


def test_operators_of_authors_are_not_checked_but_the_constructor_of_gnomon_below_them_is() -> None:
    class Mine(BaseOperator):
        def __init__(self, flag: bool = False, **kwargs: Any) -> None:
            super().__init__(**kwargs)

    class MyBash(BashOperator):
        def __init__(self, flag: bool = False, **kwargs: Any) -> None:
            super().__init__(bash_command="true", **kwargs)

    Mine(task_id="t", flag="False")  # type: ignore[arg-type]
    MyBash(task_id="t", flag="False")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="append_env must be True or False"):
        MyBash(task_id="t", append_env="False")


@pytest.mark.parametrize(
    ("conf", "words"),
    [
        ({"a": {1}}, "Object of type set|a is a set"),
        ({"a": [dt.datetime(2024, 3, 4)]}, r"a\[0\] is a datetime"),
        ({"a": float("nan")}, "a is nan, which JSON does not have"),
        ({"a": "\ud83d"}, "a contains a lone surrogate"),
    ],
)
def test_a_conf_that_no_run_can_have_is_refused_where_it_is_written(conf: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=rf"Task 't' \(.*\): conf should be JSON serializable: .*({words})"):
        TriggerDagRunOperator(task_id="t", trigger_dag_id="e", conf=conf)


def test_a_conf_may_have_results_templates_and_numbers_as_keys() -> None:
    with DAG("d", schedule=None):
        result: Any = task(task_id="up")(lambda: {"A": "b"})()
        TriggerDagRunOperator(task_id="t", trigger_dag_id="e", conf={"a": result, "b": ["{{ ds }}", result], 3: 4})  # type: ignore[dict-item]
        TriggerDagRunOperator(task_id="u", trigger_dag_id="e", conf=result)
        TriggerDagRunOperator(task_id="v", trigger_dag_id="e", conf='{"a": "{{ ds }}"}')
