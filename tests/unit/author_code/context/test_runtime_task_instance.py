from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.unit.author_code.context.conftest import MONDAY, Server

from gnomon.author_code.context import Context, RuntimeTaskInstance, TaskInstanceKey
from gnomon.author_code.context.runtime_dag_run import RuntimeDagRun
from gnomon.ground.config import current_config, load_config, set_current_config
from gnomon.model.attempts import XCOM_MAX_BYTES, RunFacts
from gnomon.model.errors.authoring import AirflowException, NotSerializable
from gnomon.model.instants import to_instant
from gnomon.model.states import TaskInstanceState

Make = Callable[..., Context]


@pytest.fixture
def ti(make: Make) -> RuntimeTaskInstance:
    found: RuntimeTaskInstance = make()["ti"]
    return found


def test_it_names_itself_in_both_dialects(ti: RuntimeTaskInstance) -> None:
    assert (ti.id, ti.dag_id, ti.task_id, ti.run_id, ti.map_index) == ("u-1", "d", "t", "r", -1)
    assert (ti.try_number, ti.max_tries, ti.next_try_number, ti.prev_attempted_tries) == (2, 3, 3, 1)
    assert ti.logical_date == ti.execution_date == ti.get_dagrun().logical_date == MONDAY
    assert ti.key == TaskInstanceKey("d", "t", "r", 2, -1)
    assert ti.key.reduced.try_number == 1
    assert (ti.operator, ti.pool, ti.owner, ti.queue) == ("BaseOperator", "default_pool", "ada", "default")
    assert ti.is_eligible_to_retry()
    assert ti.hostname
    with pytest.raises(AttributeError, match="no_such"):
        _ = ti.no_such


@pytest.fixture
def configured() -> Iterator[Callable[[dict[str, str]], None]]:
    """Gives this process other options until the end of the test."""
    before = current_config()
    yield lambda environ: set_current_config(load_config(environ, before.home))
    set_current_config(before)


def test_the_address_of_a_try_is_that_of_its_page(
    ti: RuntimeTaskInstance, configured: Callable[[dict[str, str]], None]
) -> None:
    configured({"AIRFLOW__WEBSERVER__BASE_URL": "https://gnomon.example.com/"})
    ti.run_id, ti.map_index = "manual__2024-03-04T00:00:00+00:00", 3
    assert (
        ti.log_url
        == ti.mark_success_url
        == "https://gnomon.example.com/dags/d/runs/manual__2024-03-04T00%3A00%3A00%2B00%3A00/tasks/t?try=2&map=3"
    )
    ti.map_index = -1
    assert ti.log_url.endswith("/tasks/t?try=2")


def test_without_a_known_address_there_is_none_and_a_warning_says_why(
    ti: RuntimeTaskInstance, configured: Callable[[dict[str, str]], None], caplog: pytest.LogCaptureFixture
) -> None:
    configured({})
    assert ti.log_url == ""
    assert "ti.log_url is empty: set [api] base_url" in caplog.text


def test_the_run_of_the_task_has_its_dag_and_other_runs_say_that_they_have_none(make: Make, server: Server) -> None:
    context = make()
    assert (
        context["dag_run"].get_dag() is context["dag_run"].dag is context["ti"].get_dagrun().get_dag() is context["dag"]
    )
    other = RuntimeDagRun(RunFacts(run_pk=8, dag_id="d", run_id="earlier", run_type="manual", run_after=0))
    with pytest.raises(AirflowException, match="The DAG of run 'earlier' of 'd' is not in this process"):
        other.get_dag()


def test_what_was_pushed_is_pulled_in_the_same_attempt(ti: RuntimeTaskInstance, server: Server) -> None:
    ti.xcom_push("k", {"a": (1, 2)})
    assert ti.xcom_pull(key="k") == ti.xcom_pull(task_ids="t", key="k") == {"a": (1, 2)}
    assert ti.pushed_xcoms.keys() == {"k"}
    assert server.asked == []


def test_what_is_pushed_is_the_value_at_that_moment(ti: RuntimeTaskInstance) -> None:
    rows = [1]
    ti.xcom_push("rows", rows)
    rows.append(2)
    assert ti.xcom_pull(key="rows") == [1]


def test_a_value_that_cannot_be_stored_fails_where_it_is_pushed(ti: RuntimeTaskInstance) -> None:
    with pytest.raises(NotSerializable, match=r"XCom 'k' of task 't'.*\['a'\]\[0\]"):
        ti.xcom_push("k", {"a": [object()]})
    with pytest.raises(ValueError, match="key"):
        ti.xcom_push("", 1)
    with pytest.raises(ValueError, match="XCom 'k' of task 't' takes 16777217 bytes, the limit is 16777216 bytes"):
        ti.xcom_push("k", "x" * (XCOM_MAX_BYTES - 1))
    with pytest.raises(
        ValueError, match="the key of an XCom has at most 512 characters, and this one has 513; it begins with 'kkk"
    ):
        ti.xcom_push("k" * 513, 1)
    assert not ti.pushed_xcoms
    ti.xcom_push("k" * 512, 1)
    ti.pushed_xcoms.clear()


def test_the_limit_of_a_pushed_value_counts_bytes_of_text_that_is_not_ascii(ti: RuntimeTaskInstance) -> None:
    half = XCOM_MAX_BYTES // 2
    ti.xcom_push("k", "é" * (half - 1))
    assert len(ti.pushed_xcoms.pop("k")) == half + 1
    with pytest.raises(
        ValueError, match="XCom 'k' of task 't' takes 16777218 bytes, the limit is 16777216 bytes"
    ) as refused:
        ti.xcom_push("k", "é" * half)
    assert len(str(refused.value)) < 400 and not ti.pushed_xcoms


def test_one_task_gives_one_value(ti: RuntimeTaskInstance, server: Server) -> None:
    server.xcoms = {("a", -1, "return_value"): 1, ("a", -1, "k"): 2}
    assert ti.xcom_pull("a") == 1
    assert ti.xcom_pull(task_ids="a", key="k") == 2
    assert ti.xcom_pull(task_ids="a", key="zzz") is None
    assert ti.xcom_pull(task_ids="a", key="zzz", default=7) == 7


def test_several_tasks_give_a_list_in_the_order_asked(ti: RuntimeTaskInstance, server: Server) -> None:
    server.xcoms = {("b", -1, "return_value"): "b", ("a", -1, "return_value"): "a"}
    assert ti.xcom_pull(task_ids=["a", "b", "c"]) == ["a", "b", None]
    assert ti.xcom_pull(task_ids=("b",)) == ["b"]


def test_mapped_values(ti: RuntimeTaskInstance, server: Server) -> None:
    server.xcoms = {("m", 1, "return_value"): "one", ("m", 0, "return_value"): "zero"}
    assert ti.xcom_pull("m") == ["zero", "one"]
    assert ti.xcom_pull("m", map_indexes=1) == "one"
    assert ti.xcom_pull("m", map_indexes=[1, 5], default="-") == ["one", "-"]
    assert ti.xcom_pull(["m"], map_indexes=0) == ["zero"]
    assert ti.xcom_pull("m", map_indexes=None) is None


def test_without_task_ids_it_is_the_tasks_own_value_else_the_newest_of_any(
    ti: RuntimeTaskInstance, server: Server
) -> None:
    server.xcoms = {("a", -1, "k"): "first", ("b", -1, "k"): "last"}
    assert ti.xcom_pull(key="k") == "last"
    server.xcoms["t", -1, "k"] = "own"
    assert ti.xcom_pull(key="k") == "own"
    assert ti.xcom_pull(key="nobody's", default=0) == 0


def test_another_run_or_dag_or_earlier_runs_may_be_asked(ti: RuntimeTaskInstance, server: Server) -> None:
    ti.xcom_push("k", 1)
    ti.xcom_pull(task_ids="t", key="k", dag_id="other", run_id="r9", include_prior_dates=True)
    question = server.asked[-1]
    assert (question.dag_id, question.run_id, question.include_prior_dates) == ("other", "r9", True)


def test_coroutines_may_push_and_pull(ti: RuntimeTaskInstance) -> None:
    async def go() -> Any:
        await ti.axcom_push("k", 1)
        return await ti.axcom_pull(key="k")

    assert asyncio.run(go()) == 1


def test_earlier_runs(ti: RuntimeTaskInstance, server: Server) -> None:
    assert ti.get_previous_dagrun() is None
    at = to_instant(MONDAY)
    server.previous = RunFacts(
        run_pk=1, dag_id="d", run_id="p", run_type="scheduled", run_after=at, logical_at=at, started_at=at
    )
    run = ti.get_previous_dagrun(state="success")
    assert run is not None and run.run_id == "p"
    assert server.asked[-1].state == "success"
    assert ti.previous_execution_date_success == ti.previous_start_date_success == MONDAY
    assert ti.get_previous_execution_date() == ti.get_previous_start_date() == MONDAY


def test_states_and_counts_of_others(ti: RuntimeTaskInstance) -> None:
    assert RuntimeTaskInstance.get_dagrun_state("d", "r1") == "success"
    assert RuntimeTaskInstance.get_ti_count("d") == 4
    assert RuntimeTaskInstance.get_ti_count("d", states=["success"]) == 2
    assert RuntimeTaskInstance.get_ti_count("d", map_index=1) == 1
    assert RuntimeTaskInstance.get_task_states("d", task_group_id="g") == {"r1": {"g.b": None}}
    assert RuntimeTaskInstance.get_task_breadcrumbs("d", "r1") == [
        {"task_id": "a", "map_index": -1, "state": "success"},
        {"task_id": "m", "map_index": 0, "state": "failed"},
        {"task_id": "m", "map_index": 1, "state": "success"},
    ]


def test_its_times(ti: RuntimeTaskInstance) -> None:
    assert (ti.start_date, ti.end_date, ti.duration, ti.state) == (None, None, None, "running")
    ti.mark_started(to_instant(MONDAY))
    assert ti.start_date == MONDAY
    ti.mark_ended(to_instant(MONDAY) + 1_500_000, TaskInstanceState.FAILED)
    assert (ti.duration, ti.state) == (1.5, "failed")


def test_its_context_and_templates(make: Make) -> None:
    context = make()
    ti = context["ti"]
    assert ti.get_template_context() is context
    task = ti.task
    assert ti.render_templates() is task
    assert ti.task is not task
