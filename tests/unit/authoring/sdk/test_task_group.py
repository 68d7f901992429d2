"""Task groups: prefixes, nesting, collisions, edges, the decorator."""

from __future__ import annotations

from typing import Any

import pytest

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.dags.dag_decorators import task_group
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.nodes.edges import Label, chain
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.task_decorators import task
from gnomon.model.errors.authoring import DuplicateTaskIdFound, TaskAlreadyInTaskGroup


def test_ids_carry_the_prefixes_of_their_groups() -> None:
    with DAG("d") as dag, TaskGroup("outer") as outer:
        BaseOperator(task_id="a")
        with TaskGroup("inner", prefix_group_id=False) as inner:
            b = BaseOperator(task_id="b")
        with TaskGroup("deep"), TaskGroup("deeper"):
            c = BaseOperator(task_id="c")
    assert dag.task_ids == ["outer.a", "b", "outer.deep.deeper.c"]
    assert (b.task_id, b.label, c.label, inner.group_id) == ("b", "b", "c", "outer.inner")
    assert outer.get_child_by_label("a") is dag.get_task("outer.a")
    assert inner.get_child_by_label("b") is b
    assert list(dag.task_group_dict) == ["outer", "outer.inner", "outer.deep", "outer.deep.deeper"]


def test_a_group_knows_the_id_of_its_dag_mapped_or_not() -> None:
    with DAG("d") as dag, TaskGroup("outer") as outer:

        @task_group
        def each(n: int) -> None:
            BaseOperator(task_id="a")

        each.expand(n=[1, 2])
    assert {group.dag_id for group in (dag.task_group, outer, *dag.task_group_dict.values())} == {"d"}


def test_a_group_without_prefix_gives_none_of_the_groups_around_it_either() -> None:
    with DAG("d") as dag, TaskGroup("outer"), TaskGroup("plain", prefix_group_id=False):
        with TaskGroup("inner"):
            BaseOperator(task_id="a")
        with TaskGroup("plain2", prefix_group_id=False):
            BaseOperator(task_id="b")
        with pytest.raises(DuplicateTaskIdFound, match="two nodes 'b'"):
            BaseOperator(task_id="b")

        @task
        def b() -> None: ...

        b()
    assert dag.task_ids == ["inner.a", "b", "b__1"]
    assert list(dag.task_group_dict) == ["outer", "outer.plain", "inner", "plain2"]


def test_edges_join_leaves_to_roots() -> None:
    with DAG("d") as dag:
        start, end = BaseOperator(task_id="start"), BaseOperator(task_id="end")
        with TaskGroup("g") as g:
            a, b, c = (BaseOperator(task_id=name) for name in "abc")
            a >> [b, c]
        with TaskGroup("h") as h:
            BaseOperator(task_id="d")
        start >> Label("go") >> g >> h >> end
    assert a.upstream_task_ids == {"start"}
    assert dag.get_task("h.d").upstream_task_ids == {"g.b", "g.c"}
    assert end.upstream_task_ids == {"h.d"}
    assert dag.get_edge_info("start", "g.a") == {"label": "go"}
    assert g.downstream_group_ids == {"h"}


def test_groups_stand_in_lists_and_chains() -> None:
    with DAG("d") as dag:
        start, end = BaseOperator(task_id="start"), BaseOperator(task_id="end")
        groups = []
        for name in "gh":
            with TaskGroup(name) as group:
                BaseOperator(task_id="t")
            groups.append(group)
        start >> groups >> end
        chain(*groups)
    assert end.upstream_task_ids == {"g.t", "h.t"}
    assert dag.get_task("h.t").upstream_task_ids == {"start", "g.t"}


def test_a_last_teardown_is_no_end_of_its_group() -> None:
    with DAG("d"):
        with TaskGroup("g") as group:
            setup, work, clean = (BaseOperator(task_id=name) for name in ("setup", "work", "clean"))
            setup >> work >> clean.as_teardown(setups=setup)
        after = BaseOperator(task_id="after")
        group >> after
    assert after.upstream_task_ids == {"g.work"}


def edges(dag: DAG) -> str:
    return " ".join(sorted(f"{one.task_id}>{after}" for one in dag.tasks for after in one.downstream_task_ids))


def test_an_empty_group_passes_edges_on() -> None:
    with DAG("d") as dag:
        a, b, c, d = (BaseOperator(task_id=name) for name in "abcd")
        with TaskGroup("full") as full:
            BaseOperator(task_id="x") >> BaseOperator(task_id="y")
        a >> TaskGroup("g") >> TaskGroup("h") >> b
        full >> TaskGroup("i") >> Label("why") >> c
        chain(a, TaskGroup("j"), d)
    assert edges(dag) == "a>b a>d full.x>full.y full.y>c"
    assert dag.get_edge_info("full.y", "c") == {"label": "why"}
    assert dag.task_group_dict["h"].upstream_task_ids == {"a"}


def test_a_group_without_an_end_passes_edges_on() -> None:
    with DAG("d") as dag:
        a, b = BaseOperator(task_id="a"), BaseOperator(task_id="b")
        with TaskGroup("g") as g:
            BaseOperator(task_id="t").as_teardown(setups=BaseOperator(task_id="s"))
        a >> g >> b
    assert edges(dag) == "a>b a>g.s g.s>g.t"


def test_an_empty_group_with_nothing_before_it_stands_for_the_end_of_the_group_around_it() -> None:
    with DAG("d") as dag:
        a, b, c = (BaseOperator(task_id=name) for name in "abc")
        with TaskGroup("outer"):
            x = BaseOperator(task_id="x")
            inner = TaskGroup("inner")
        with TaskGroup("bare") as bare:
            deep = TaskGroup("deep")
        inner >> b
        a >> bare
        deep >> c
        inner >> x
    assert edges(dag) == "a>c outer.x>b"


def test_an_empty_group_with_nothing_around_it_makes_no_edge() -> None:
    with DAG("d") as dag:
        a, b = BaseOperator(task_id="a"), BaseOperator(task_id="b")
        TaskGroup("g") >> b
        b << TaskGroup("h") << a
    assert edges(dag) == ""


def test_an_empty_group_before_a_teardown_of_the_group_around_it_stands_for_the_end_of_that_group() -> None:
    with DAG("d") as dag, TaskGroup("g"):
        BaseOperator(task_id="x")
        TaskGroup("inner") >> BaseOperator(task_id="t").as_teardown()
    assert edges(dag) == "g.x>g.t"


def test_a_task_before_another_one_and_a_last_teardown_is_no_end() -> None:
    with DAG("d") as dag:
        with TaskGroup("g") as g:
            first, last, clean = (BaseOperator(task_id=name) for name in ("first", "last", "clean"))
            first >> last >> clean.as_teardown()
            first >> clean
        g >> BaseOperator(task_id="after")
    assert dag.get_task("after").upstream_task_ids == {"g.last"}


def test_a_group_id_twice_is_refused_unless_a_suffix_is_wanted() -> None:
    with DAG("d"):
        TaskGroup("g")
        with pytest.raises(DuplicateTaskIdFound, match=r"two nodes 'g'.*add_suffix_on_collision"):
            TaskGroup("g")
        assert [TaskGroup("g", add_suffix_on_collision=True).group_id for _ in range(2)] == ["g__1", "g__2"]


def test_a_task_and_a_group_cannot_share_an_id() -> None:
    with DAG("d"):
        BaseOperator(task_id="x")
        with pytest.raises(DuplicateTaskIdFound):
            TaskGroup("x")
        TaskGroup("y")
        with pytest.raises(DuplicateTaskIdFound, match="the task group"):
            BaseOperator(task_id="y")


def test_a_task_stands_in_one_group_only() -> None:
    with DAG("d"):
        one, other = TaskGroup("one"), TaskGroup("other")
        inside = BaseOperator(task_id="t", task_group=one)
        with pytest.raises(TaskAlreadyInTaskGroup, match="'one'"):
            other.add(inside)


def test_a_group_outside_of_a_dag_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match="with DAG"):
        TaskGroup("g")


def test_a_decorated_function_is_a_group_each_time_it_is_called() -> None:
    @task
    def one(value: Any) -> Any:
        return value

    @task_group
    def section(value: int) -> Any:
        """What it holds."""
        return one(one(value))

    with DAG("d") as dag:
        start, end = BaseOperator(task_id="start"), BaseOperator(task_id="end")
        for number in range(2):
            start >> section(number) >> end
        named = section.override(group_id="named")(3)
        after = one(named)
    assert dag.task_ids[2:8] == [
        "section.one",
        "section.one__1",
        "section__1.one",
        "section__1.one__1",
        "named.one",
        "named.one__1",
    ]
    assert dag.get_task("section__1.one__1").upstream_task_ids == {"start", "section__1.one"}
    assert end.upstream_task_ids == {"section.one__1", "section__1.one__1"}
    assert after.operator.upstream_task_ids == {"named.one__1"}
    assert dag.task_group_dict["section"].tooltip == "What it holds."


def test_edges_go_to_the_group_when_its_function_returns_nothing() -> None:
    @task_group
    def section() -> None:
        BaseOperator(task_id="a") >> BaseOperator(task_id="b")

    with DAG("d") as dag:
        BaseOperator(task_id="start") >> section() >> BaseOperator(task_id="end")
    assert dag.get_task("section.a").upstream_task_ids == {"start"}
    assert dag.get_task("end").upstream_task_ids == {"section.b"}
