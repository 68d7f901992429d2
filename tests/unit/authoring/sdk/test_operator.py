"""Operators: arguments, defaults, subclasses written for Airflow, edges."""

from __future__ import annotations

import copy
import datetime as dt
from typing import Any

import pytest

from gnomon.authoring.sdk.arguments.task_rules import TriggerRule
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.nodes.edges import Label, chain, chain_linear, cross_downstream
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.errors.authoring import AirflowException, DuplicateTaskIdFound, TaskDeferred, TaskNotFound


class Copy(BaseOperator):
    """As authors write them: own arguments, the rest handed on."""

    template_fields = ("source", "target")

    def __init__(self, source: Any, target: Any = "there", **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.source = source
        self.target = target


class Strict(Copy):
    def __init__(self, *, level: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.level = level


class Narrow(BaseOperator):
    """Takes nothing but an id, so defaults can reach only the base."""

    def __init__(self, task_id: str) -> None:
        super().__init__(task_id=task_id)


def test_default_args_reach_every_level_of_the_constructor_chain() -> None:
    with DAG("d", default_args={"source": "s", "level": 3, "retries": 2, "unknown": 1}):
        task = Strict(task_id="t", retries=5)
        narrow = Narrow("n")
    assert (task.source, task.target, task.level, task.retries) == ("s", "there", 3, 5)
    assert narrow.retries == 2


def test_default_args_of_the_task_win_over_group_and_dag() -> None:
    from gnomon.authoring.sdk.members.task_group import TaskGroup

    with (
        DAG("d", default_args={"owner": "dag", "retries": 1, "pool": "dag"}),
        TaskGroup("g", default_args={"owner": "group", "retries": 2}),
        TaskGroup("h", default_args={"queue": "inner"}),
    ):
        task = BaseOperator(task_id="t", default_args={"owner": "task"})
    assert (task.owner, task.retries, task.pool, task.queue) == ("task", 2, "dag", "inner")


def test_a_missing_argument_is_named_with_task_and_line() -> None:
    with DAG("d"), pytest.raises(TypeError, match=r"Strict needs level= for task 't' \(.*test_operator.py:\d+\)"):
        Strict(task_id="t", source="s")


def test_a_missing_argument_of_a_base_is_named_too() -> None:
    with DAG("d"), pytest.raises(TypeError, match="needs source="):
        Strict(task_id="t", level=1)


def test_an_unknown_argument_is_refused_with_the_nearest_name() -> None:
    with DAG("d"), pytest.raises(TypeError, match=r"does not take the argument retrys=; did you mean retries="):
        BaseOperator(task_id="t", retrys=3)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"retries": "many"}, "retries must be a whole number"),
        ({"retries": -1}, "0 or more"),
        ({"execution_timeout": 5}, "timedelta"),
        ({"trigger_rule": "all_good"}, "all_success"),
        ({"pool_slots": 0}, "1 or more"),
        ({"start_date": 7}, "datetime"),
        ({"weight_rule": "heavy"}, "absolute"),
    ],
)
def test_a_wrong_value_names_task_and_remedy(arguments: dict[str, Any], words: str) -> None:
    with DAG("d"), pytest.raises((TypeError, ValueError), match=words) as found:
        BaseOperator(task_id="t", **arguments)
    assert "Task 't'" in str(found.value)
    assert "test_operator.py" in str(found.value)


@pytest.mark.parametrize("task_id", ["a b", "", "x" * 251, "a/b"])
def test_task_ids_are_checked(task_id: str) -> None:
    with DAG("d"), pytest.raises(ValueError, match="task_id"):
        BaseOperator(task_id=task_id)


def test_arguments_of_airflow_2_are_taken() -> None:
    with DAG("d") as dag:
        task = BaseOperator(
            "t", task_concurrency=2, provide_context=True, sla=dt.timedelta(hours=1), trigger_rule="dummy"
        )
    assert task.max_active_tis_per_dag == 2
    assert task.trigger_rule is TriggerRule.ALWAYS
    assert any("sla=" in sentence for sentence in dag.warnings)


def test_values_are_settled() -> None:
    with DAG("d"):
        task = BaseOperator(
            task_id="t",
            retry_delay=10,
            retry_exponential_backoff=True,
            retries="3",
            wait_for_downstream=True,
            inlets="a",
            outlets=["b"],
            start_date="2026-01-02",
        )
    assert (task.retry_delay, task.retry_exponential_backoff, task.retries) == (dt.timedelta(seconds=10), 2.0, 3)
    assert task.depends_on_past
    assert (task.inlets, task.outlets) == (["a"], ["b"])
    assert task.start_date == dt.datetime(2026, 1, 2, tzinfo=dt.UTC)


def test_a_task_without_a_dag_says_how_to_get_one() -> None:
    task = BaseOperator(task_id="t")
    assert not task.has_dag()
    with pytest.raises(RuntimeError, match="with DAG"):
        _ = task.dag


def test_an_id_twice_names_both_lines() -> None:
    with DAG("d"):
        BaseOperator(task_id="t")
        with pytest.raises(DuplicateTaskIdFound, match=r"test_operator.py:\d+.*test_operator.py:\d+"):
            BaseOperator(task_id="t")


# Edges


def names(tasks: list[BaseOperator]) -> list[str]:
    return [task.task_id for task in tasks]


@pytest.fixture
def abcd() -> list[BaseOperator]:
    with DAG("d"):
        return [BaseOperator(task_id=name) for name in "abcd"]


def test_shifts_connect_tasks_and_lists(abcd: list[BaseOperator]) -> None:
    a, b, c, d = abcd
    a >> [b, c] >> d
    assert names(a.downstream_list) == ["b", "c"]
    assert names(d.upstream_list) == ["b", "c"]
    assert a.get_flat_relative_ids() == {"b", "c", "d"}
    assert d.get_flat_relative_ids(upstream=True) == {"a", "b", "c"}
    assert names(a.dag.roots) == ["a"]
    assert names(a.dag.leaves) == ["d"]


def test_back_shifts_connect_the_other_way(abcd: list[BaseOperator]) -> None:
    a, b, c, d = abcd
    [c, d] << b << a
    assert names(b.downstream_list) == ["c", "d"]
    assert names(b.upstream_list) == ["a"]


def test_labels_stand_on_edges_in_both_directions(abcd: list[BaseOperator]) -> None:
    a, b, c, d = abcd
    a >> Label("yes") >> [b, c]
    d << Label("back") << c
    assert a.dag.edge_info == {"a": {"b": {"label": "yes"}, "c": {"label": "yes"}}, "c": {"d": {"label": "back"}}}
    assert names(d.upstream_list) == ["c"]


def test_chain_joins_lists_one_to_one(abcd: list[BaseOperator]) -> None:
    a, b, c, d = abcd
    chain([a, b], [c, d])
    assert (names(a.downstream_list), names(b.downstream_list)) == (["c"], ["d"])
    with pytest.raises(ValueError, match="2 and 1"):
        chain([a, b], [c])


def test_chain_linear_and_cross_downstream_join_all_to_all(abcd: list[BaseOperator]) -> None:
    a, b, c, d = abcd
    chain_linear([a, b], [c])
    cross_downstream([a, b], [d])
    assert names(a.downstream_list) == names(b.downstream_list) == ["c", "d"]


def test_what_is_no_task_cannot_be_connected(abcd: list[BaseOperator]) -> None:
    with pytest.raises(TypeError, match=r"Task 'a' \(.*Call a @task function"):
        abcd[0] >> (lambda: None)


def test_two_dags_cannot_be_connected(abcd: list[BaseOperator]) -> None:
    with DAG("other"):
        far = BaseOperator(task_id="far")
    with pytest.raises(AirflowException, match="'other'"):
        abcd[0] >> far


def test_an_edge_takes_a_task_into_the_dag(abcd: list[BaseOperator]) -> None:
    free = BaseOperator(task_id="free")
    abcd[0] >> free
    assert free.dag is abcd[0].dag
    assert free in abcd[0].dag.task_group.children.values()


def test_values_in_template_fields_are_dependencies_however_deep() -> None:
    with DAG("d"):
        a, b, c = (BaseOperator(task_id=name) for name in "abc")
        task = Copy(task_id="t", source={"k": [a.output, (b.output["key"],)]})
        assert task.upstream_task_ids == {"a", "b"}
        task.target = [c.output]
    assert task.upstream_task_ids == {"a", "b", "c"}


def test_setups_and_teardowns_are_recorded_and_connected(abcd: list[BaseOperator]) -> None:
    a, b, c, _ = abcd
    a >> b >> c.as_teardown(setups=a, on_failure_fail_dagrun=True)
    assert (a.is_setup, c.is_teardown, c.on_failure_fail_dagrun) == (True, True, True)
    assert c.upstream_task_ids == {"a", "b"}
    assert str(c.trigger_rule) == "all_done_setup_success"


def test_a_with_block_runs_between_setup_and_teardown(abcd: list[BaseOperator]) -> None:
    a, b, _, _ = abcd
    a >> b.as_teardown(setups=a)
    with a.dag, b:
        inside = BaseOperator(task_id="inside")
    assert inside.upstream_task_ids == {"a"}
    assert inside.downstream_task_ids == {"b"}


# Running


def test_an_operator_without_execute_says_so(abcd: list[BaseOperator]) -> None:
    with pytest.raises(NotImplementedError, match="execute"):
        abcd[0].execute({})


def test_hooks_given_as_arguments_run() -> None:
    seen: list[Any] = []
    with DAG("d"):
        task = BaseOperator(
            task_id="t", pre_execute=seen.append, post_execute=lambda context, result: seen.append(result)
        )
    task.pre_execute("context")
    task.post_execute("context", 5)
    assert seen == ["context", 5]


def test_defer_raises_what_the_worker_catches(abcd: list[BaseOperator]) -> None:
    with pytest.raises(TaskDeferred) as found:
        abcd[0].defer(trigger="t", method_name="go_on")
    assert found.value.method_name == "go_on"


def test_copies_do_not_share_what_rendering_changes(abcd: list[BaseOperator]) -> None:
    other = abcd[0].prepare_for_execution()
    other.owner = "somebody"
    assert abcd[0].owner == "airflow"
    deep = copy.deepcopy(abcd[0].dag)
    deep.get_task("a").upstream_task_ids.add("x")
    assert abcd[0].upstream_task_ids == set()
    assert deep.get_task("a").dag is deep


def test_an_unknown_task_is_named(abcd: list[BaseOperator]) -> None:
    with pytest.raises(TaskNotFound, match="'zzz'"):
        abcd[0].dag.get_task("zzz")
