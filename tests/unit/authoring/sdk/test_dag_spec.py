"""From DAG to spec: order, cycles, priorities, what the hash covers, what needs a process."""

from __future__ import annotations

import datetime as dt
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gnomon.authoring.operators.trigger_dag_run import TriggerDagRunOperator
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.assets import Asset
from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_spec import build_dag_spec
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.nodes.edges import Label
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.model.errors.authoring import AirflowDagCycleException
from gnomon.model.spec import ParsedDag, TaskSpec

START = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
START_AT = 1767225600000000
DAY = 86400 * 10**6


class Nothing(BaseOperator):
    runs_code = False


def tasks_of(dag: DAG) -> dict[str, TaskSpec]:
    return {task.task_id: task for task in build_dag_spec(dag, "f.py").spec.tasks}


def test_a_spec_says_what_the_author_wrote() -> None:
    with DAG(
        "d",
        "words",
        schedule="@daily",
        start_date=START,
        catchup=True,
        tags=["b", "a"],
        max_active_runs=2,
        dagrun_timeout=dt.timedelta(minutes=5),
        params={"n": Param(1, type="integer")},
        attempts_per_child=7,
    ) as dag:
        first = BaseOperator(
            task_id="first",
            retries=2,
            retry_delay=dt.timedelta(seconds=9),
            pool="p",
            pool_slots=2,
            execution_timeout=dt.timedelta(seconds=30),
            max_active_tis_per_dag=4,
            queue="q",
        )
        with TaskGroup("g"):
            inner = BaseOperator(task_id="t", trigger_rule="all_done", depends_on_past=True)
        first >> Label("on") >> inner
    spec = build_dag_spec(dag, "f.py").spec
    assert (spec.dag_id, spec.description, spec.tags, spec.catchup, spec.max_active_runs) == (
        "d",
        "words",
        ("a", "b"),
        True,
        2,
    )
    assert (spec.dagrun_timeout_s, spec.timezone, spec.start_at) == (300.0, "UTC", 1767225600000000)
    assert (spec.groups, spec.edge_labels, spec.attempts_per_child) == ({"g": None}, {"first\x1fg.t": "on"}, 7)
    assert spec.params["n"].default == 1
    assert spec.params["n"].schema == {"type": "integer"}
    one, two = spec.tasks
    assert (one.retries, one.retry_delay_s, one.pool, one.pool_slots, one.execution_timeout_s, one.queue) == (
        2,
        9.0,
        "p",
        2,
        30.0,
        "q",
    )
    assert one.max_active_tis_per_dag == 4
    assert (two.task_id, two.upstream, two.group, two.trigger_rule, two.depends_on_past) == (
        "g.t",
        ("first",),
        "g",
        "all_done",
        True,
    )


def test_what_is_changed_after_construction_counts() -> None:
    with DAG("d") as dag:
        task = BaseOperator(task_id="t")
    task.retries, task.trigger_rule, task.retry_delay = 5, "one_done", 4  # type: ignore[assignment]
    spec = tasks_of(dag)["t"]
    assert (spec.retries, spec.trigger_rule, spec.retry_delay_s) == (5, "one_done", 4.0)


def test_a_spec_survives_the_wire() -> None:
    with DAG(
        "d",
        schedule=dt.timedelta(hours=1),
        params={"x": Param(None, type=["null", "string"], values_display={1: "One"})},
    ) as dag:
        BaseOperator(task_id="t")
    parsed = build_dag_spec(dag, "f.py")
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(parsed), type=ParsedDag) == parsed


@settings(derandomize=True, deadline=None)
@given(
    st.integers(2, 9).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1))))
    )
)
def test_tasks_come_after_their_upstream_and_ties_by_definition(case: tuple[int, set[tuple[int, int]]]) -> None:
    count, edges = case
    dag = DAG("d")
    tasks = [BaseOperator(task_id=f"t{index}", dag=dag) for index in range(count)]
    for one, other in edges:
        if one < other:
            tasks[count - 1 - one] >> tasks[count - 1 - other]  # against the order of definition
    order = [task.task_id for task in dag.topological_sort()]
    ready_first = list(order)
    done: set[str] = set()
    for task_id in ready_first:
        ready = [task.task_id for task in tasks if task.task_id not in done and task.upstream_task_ids <= done]
        assert task_id == ready[0]
        done.add(task_id)


def test_a_cycle_is_shown_as_a_path() -> None:
    with DAG("d") as dag:
        a, b, c, z = (BaseOperator(task_id=name) for name in "abcz")
        z >> a >> b >> c >> a
        c >> BaseOperator(task_id="after")
    with pytest.raises(AirflowDagCycleException, match=r"DAG 'd'.*a >> b >> c >> a.*test_dag_spec.py:\d+"):
        build_dag_spec(dag, "f.py")


def test_a_task_that_waits_for_itself_is_a_cycle() -> None:
    with DAG("d") as dag:
        task = BaseOperator(task_id="t")
        task >> task
    with pytest.raises(AirflowDagCycleException, match="t >> t"):
        build_dag_spec(dag, "f.py")


def test_priorities_follow_the_weight_rule() -> None:
    def chain(rule: str) -> list[int]:
        with DAG("d") as dag:
            tasks = [BaseOperator(task_id=f"t{n}", weight_rule=rule, priority_weight=10**n) for n in range(3)]
            for one, other in pairwise(tasks):
                one >> other
        return [task.effective_priority for task in build_dag_spec(dag, "f.py").spec.tasks]

    assert chain("downstream") == [111, 110, 100]
    assert chain("upstream") == [1, 11, 111]
    assert chain("absolute") == [1, 10, 100]


def test_a_weight_is_counted_once_over_several_paths() -> None:
    with DAG("d") as dag:
        a, b, c, d = (BaseOperator(task_id=name) for name in "abcd")
        a >> [b, c] >> d
    assert tasks_of(dag)["a"].effective_priority == 4


def test_a_strategy_of_the_authors_own_is_kept_by_path_with_its_weight() -> None:
    class Mine:
        def get_weight(self, ti: Any) -> int:
            return 2 * int(ti.priority_weight)

    with DAG("d") as dag:
        BaseOperator(task_id="t", weight_rule=Mine(), priority_weight=6)
    task = tasks_of(dag)["t"]
    assert task.weight_rule.endswith("Mine")
    assert task.effective_priority == 12
    assert dag.warnings == []


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({}, False),
        ({"on_success_callback": print}, True),
        ({"outlets": [Asset("a")]}, False),
        ({"outlets": [Asset.ref(name="a")]}, True),
        ({"inlets": [Asset("a")]}, False),
        ({"pre_execute": print}, True),
        ({"on_execute_callback": [print]}, True),
    ],
)
def test_an_operator_without_code_needs_a_process_only_for_what_hangs_on_it(
    arguments: dict[str, Any], expected: bool
) -> None:
    with DAG("d") as dag:
        Nothing(task_id="t", **arguments)
        BaseOperator(task_id="other")
    assert tasks_of(dag)["t"].runs_code is expected
    assert tasks_of(dag)["other"].runs_code


def test_the_start_is_the_earliest_and_the_end_the_latest_of_all() -> None:
    day = dt.timedelta(days=1)
    with DAG("d") as dag:
        BaseOperator(task_id="a", start_date=START - day, end_date=START + day)
        BaseOperator(task_id="b", start_date=START, end_date=START + 2 * day)
    spec = build_dag_spec(dag, "f.py").spec
    assert (spec.start_at, spec.end_at) == (START_AT - DAY, START_AT + 2 * DAY)


def test_a_task_begins_no_earlier_than_its_dag_and_ends_no_later() -> None:
    day = dt.timedelta(days=1)
    with DAG("d", start_date=START, end_date=START + 2 * day) as dag:
        BaseOperator(task_id="plain")
        BaseOperator(task_id="wider", start_date=START - day, end_date=START + 3 * day)
        BaseOperator(task_id="narrower", start_date=START + day, end_date=START + day)
    assert {task_id: (task.start_at, task.end_at) for task_id, task in tasks_of(dag).items()} == {
        "plain": (START_AT, START_AT + 2 * DAY),
        "wider": (START_AT, START_AT + 2 * DAY),
        "narrower": (START_AT + DAY, START_AT + DAY),
    }
    assert build_dag_spec(dag, "f.py").spec.start_at == START_AT


def make(**changes: Any) -> str:
    task = {name.removeprefix("task_"): changes.pop(name) for name in list(changes) if name.startswith("task_")}
    with DAG("d", **{"schedule": "@daily", "start_date": START, **changes}) as dag:
        BaseOperator(task_id="t", **task)
    return build_dag_spec(dag, "f.py").spec_hash


@pytest.mark.parametrize(
    "change",
    [
        {"description": "other"},
        {"doc_md": "# other"},
        {"tags": ["x"]},
        {"dag_display_name": "Other"},
        {"task_doc_md": "x"},
        {"task_owner": "somebody"},
        {"params": {"today": "2026-01-02"}},
    ],
)
def test_what_people_read_makes_no_new_version(change: dict[str, Any]) -> None:
    assert make(**change) == make()


@pytest.mark.parametrize(
    "change",
    [
        {"schedule": "@hourly"},
        {"start_date": START + dt.timedelta(days=1)},
        {"catchup": True},
        {"max_active_runs": 1},
        {"task_retries": 1},
        {"task_pool": "other"},
        {"task_trigger_rule": "all_done"},
        {"fail_fast": True},
    ],
)
def test_what_the_scheduler_uses_makes_a_new_version(change: dict[str, Any]) -> None:
    assert make(**change) != make()


def test_a_large_dag_is_built_in_one_pass() -> None:
    dag = DAG("d")
    tasks = [BaseOperator(task_id=f"t{n}", dag=dag) for n in range(2000)]
    for one, other in pairwise(tasks):
        one >> other
    spec = build_dag_spec(dag, "f.py").spec
    assert spec.tasks[0].effective_priority == 2000
    assert spec.tasks[-1].effective_priority == 1


def test_a_task_names_the_dag_that_it_triggers_unless_the_id_is_a_template() -> None:
    with DAG("d", schedule=None) as dag:
        TriggerDagRunOperator(task_id="plain", trigger_dag_id="other")
        TriggerDagRunOperator(task_id="template", trigger_dag_id="{{ params.dag }}")
        TriggerDagRunOperator.partial(task_id="mapped", trigger_dag_id="third").expand(conf=[{}, {}])
        TriggerDagRunOperator.partial(task_id="each").expand(trigger_dag_id=["a", "b"])
    assert {task_id: task.triggers_dag for task_id, task in tasks_of(dag).items()} == {
        "plain": "other",
        "template": None,
        "mapped": "third",
        "each": None,
    }
