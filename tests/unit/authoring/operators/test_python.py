from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gnomon.authoring.operators.function_keywords import KeywordParameters, determine_kwargs, make_kwargs_callable
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.model.errors.authoring import AirflowException, DownstreamTasksSkipped
from gnomon.operators import BranchPythonOperator, EmptyOperator, PythonOperator, ShortCircuitOperator


def test_the_function_gets_its_arguments_and_the_context_keys_that_it_names(
    dag: DAG, execute: Callable[..., Any]
) -> None:
    def function(first: str, second: int, ds: str, ti: Any = None) -> tuple[Any, ...]:
        return first, second, ds, ti.task_id

    task = PythonOperator(task_id="t", python_callable=function, op_args=["{{ ds_nodash }}"], op_kwargs={"second": 2})
    assert execute(task) == ("20240304", 2, "2024-03-04", "t")


def test_a_function_with_kwargs_gets_the_whole_context(dag: DAG, execute: Callable[..., Any]) -> None:
    # A log of the whole context would ask for each value of it.
    task = PythonOperator(
        task_id="t",
        python_callable=lambda **kwargs: kwargs,
        op_kwargs={"mine": 1},
        show_return_value_in_logs=False,
    )
    got = execute(task)
    assert got["mine"] == 1
    assert got["ds"] == "2024-03-04"
    assert got["task"].task_id == "t"


def test_an_op_kwarg_wins_over_a_context_key(dag: DAG, execute: Callable[..., Any]) -> None:
    assert execute(PythonOperator(task_id="t", python_callable=lambda ds: ds, op_kwargs={"ds": "mine"})) == "mine"


def test_an_op_kwarg_that_the_function_does_not_take_is_left_out(dag: DAG, execute: Callable[..., Any]) -> None:
    assert execute(PythonOperator(task_id="t", python_callable=lambda: "ran", op_kwargs={"unused": 1})) == "ran"


def test_a_positional_argument_for_a_context_key_is_refused(dag: DAG, execute: Callable[..., Any]) -> None:
    task = PythonOperator(task_id="t", python_callable=lambda ds: ds, op_args=["x"])
    with pytest.raises(ValueError, match="'ds'"):
        execute(task)


def test_a_coroutine_function_runs_to_its_end(dag: DAG, execute: Callable[..., Any]) -> None:
    async def function(ds: str) -> str:
        return f"waited for {ds}"

    assert execute(PythonOperator(task_id="t", python_callable=function)) == "waited for 2024-03-04"


def test_the_templates_dict_is_rendered_and_handed_in(dag: DAG, execute: Callable[..., Any]) -> None:
    task = PythonOperator(
        task_id="t", python_callable=lambda templates_dict: templates_dict, templates_dict={"day": "{{ ds }}"}
    )
    assert execute(task) == {"day": "2024-03-04"}


def test_running_a_copy_leaves_the_arguments_of_the_task_as_written(dag: DAG, execute: Callable[..., Any]) -> None:
    task = PythonOperator(task_id="t", python_callable=lambda day: day, op_kwargs={"day": "{{ ds }}"})
    assert execute(task) == "2024-03-04"
    assert task.op_kwargs == {"day": "{{ ds }}"}


def test_something_that_cannot_be_called_is_refused_with_its_line(dag: DAG) -> None:
    with pytest.raises(TypeError, match=r"Task 't' \(.*test_python.py:\d+\): python_callable must be a function"):
        PythonOperator(task_id="t", python_callable="print")  # type: ignore[arg-type]


def test_a_subclass_may_change_how_the_function_is_called(dag: DAG, execute: Callable[..., Any]) -> None:
    class Twice(PythonOperator):
        def execute_callable(self) -> Any:
            return [super().execute_callable(), super().execute_callable()]

    assert execute(Twice(task_id="t", python_callable=lambda x: x, op_kwargs={"x": 1})) == [1, 1]


def _branch(function: Callable[..., Any]) -> BranchPythonOperator:
    branch = BranchPythonOperator(task_id="branch", python_callable=function)
    after = [EmptyOperator(task_id=name) for name in ("left", "right")]
    branch >> after
    after[0] >> EmptyOperator(task_id="end") << after[1]
    return branch


def test_a_branch_skips_the_direct_downstream_tasks_that_it_did_not_choose(
    dag: DAG, execute: Callable[..., Any]
) -> None:
    with pytest.raises(DownstreamTasksSkipped) as raised:
        execute(_branch(lambda: "left"))
    assert raised.value.task_ids == ["right"]


def test_a_branch_that_chooses_all_skips_nothing(dag: DAG, execute: Callable[..., Any]) -> None:
    assert execute(_branch(lambda: ["left", "right"])) == ["left", "right"]


def test_a_branch_to_an_unknown_task_fails(dag: DAG, execute: Callable[..., Any]) -> None:
    with pytest.raises(AirflowException, match="'middle'"):
        execute(_branch(lambda: "middle"))


def _short_circuit(function: Callable[..., Any], **kwargs: Any) -> ShortCircuitOperator:
    gate = ShortCircuitOperator(task_id="gate", python_callable=function, **kwargs)
    gate >> EmptyOperator(task_id="near") >> EmptyOperator(task_id="far")
    return gate


def test_a_short_circuit_skips_everything_after_it(dag: DAG, execute: Callable[..., Any]) -> None:
    with pytest.raises(DownstreamTasksSkipped) as raised:
        execute(_short_circuit(lambda: False))
    assert sorted(raised.value.task_ids) == ["far", "near"]


def test_a_short_circuit_may_leave_the_rest_to_the_trigger_rules(dag: DAG, execute: Callable[..., Any]) -> None:
    with pytest.raises(DownstreamTasksSkipped) as raised:
        execute(_short_circuit(list, ignore_downstream_trigger_rules=False))
    assert raised.value.task_ids == ["near"]


def test_a_short_circuit_with_a_true_condition_returns_it(dag: DAG, execute: Callable[..., Any]) -> None:
    assert execute(_short_circuit(lambda: "go")) == "go"


def test_determine_kwargs_takes_what_the_function_names() -> None:
    assert determine_kwargs(lambda a, b=1: None, [], {"a": 1, "c": 2}) == {"a": 1}
    assert determine_kwargs(lambda a, **rest: None, [7], {"c": 2}) == {"c": 2}
    assert KeywordParameters.determine(lambda c: None, [], {"c": 2, "d": 3}).unpacking() == {"c": 2}
    assert make_kwargs_callable(lambda c: c)(c=5, d=6) == 5
