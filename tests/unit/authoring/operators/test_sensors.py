from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from gnomon.authoring.operators.bash import BashSensor
from gnomon.authoring.operators.python import PythonSensor
from gnomon.authoring.operators.time_limit import timeout
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.tasks.sensor import PokeReturnValue
from gnomon.model.errors.authoring import AirflowFailException, AirflowTaskTimeout


def test_a_python_sensor_pokes_with_arguments_and_context(dag: DAG, context_of: Callable[..., Any]) -> None:
    sensor = PythonSensor(task_id="t", python_callable=lambda want, ds: ds == want, op_kwargs={"want": "2024-03-04"})
    assert sensor.poke(context_of(sensor)) is True


def test_a_python_sensor_may_return_a_value(dag: DAG, execute: Callable[..., Any]) -> None:
    assert execute(PythonSensor(task_id="t", python_callable=lambda: PokeReturnValue(True, "found"))) == "found"


@pytest.mark.ordinary
@pytest.mark.parametrize(("command", "done"), [("true", True), ("exit 1", False)])
def test_a_bash_sensor_waits_for_exit_code_0(
    dag: DAG, context_of: Callable[..., Any], command: str, done: bool
) -> None:
    sensor = BashSensor(task_id="t", bash_command=command)
    assert sensor.poke(context_of(sensor)) is done


@pytest.mark.ordinary
def test_a_bash_sensor_fails_on_another_code_than_the_one_to_retry_on(dag: DAG, context_of: Callable[..., Any]) -> None:
    sensor = BashSensor(task_id="t", bash_command="exit 7", retry_exit_code=2)
    with pytest.raises(AirflowFailException, match="7"):
        sensor.poke(context_of(sensor))
    assert BashSensor(task_id="u", bash_command="exit 2", retry_exit_code=2).poke(context_of(sensor)) is False


def test_a_time_limit_raises_in_the_block_and_is_over_after_it() -> None:
    with pytest.raises(AirflowTaskTimeout, match="too slow after"), timeout(0.01, "too slow"):
        while True:
            pass
    with timeout(1000):
        pass
