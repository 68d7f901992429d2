"""Blocks of setups and teardowns: nested, among explicit relations, of operators and of decorated functions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from gnomon.authoring.sdk.dags.dag import DAG
from gnomon.authoring.sdk.members.task_group import TaskGroup
from gnomon.authoring.sdk.tasks.operator import BaseOperator
from gnomon.authoring.sdk.tasks.task_decorators import setup, task, teardown


def make(task_id: str) -> BaseOperator:
    return BaseOperator(task_id=task_id)


def pair(number: int) -> BaseOperator:
    """`s1 >> t1`, as it stands behind `with`."""
    made: BaseOperator = make(f"s{number}").as_setup() >> make(f"t{number}").as_teardown()
    return made


@pytest.fixture
def dag() -> Iterator[DAG]:
    with DAG("d") as dag:
        yield dag


def edges(dag: DAG) -> str:
    """Every edge, sorted: `a>b c>d`."""
    return " ".join(sorted(f"{one.task_id}>{after}" for one in dag.tasks for after in one.downstream_task_ids))


def test_an_inner_block_stands_between_the_setup_and_the_teardown_of_the_outer(dag: DAG) -> None:
    with pair(1), pair(2):
        make("a") >> make("b")
    assert edges(dag) == "a>b b>t2 s1>s2 s1>t1 s2>a s2>t2 t2>t1"


def test_three_blocks_end_in_the_opposite_order(dag: DAG) -> None:
    with pair(1), pair(2), pair(3):
        make("w")
    assert edges(dag) == "s1>s2 s1>t1 s2>s3 s2>t2 s3>t3 s3>w t2>t1 t3>t2 w>t3"


def test_two_inner_blocks_and_tasks_around_them_are_in_the_outer(dag: DAG) -> None:
    with pair(1):
        make("before")
        with pair(2):
            make("w")
        make("between")
        with pair(3):
            pass
    assert edges(dag) == (
        "before>t1 between>t1 s1>before s1>between s1>s2 s1>s3 s1>t1 s2>t2 s2>w s3>t3 t2>t1 t3>t1 w>t2"
    )


def test_blocks_of_decorated_functions_nest_alike() -> None:
    @setup
    def s(number: int) -> int:
        return number

    @teardown
    def t(number: Any) -> None: ...

    @task
    def w(value: Any = None) -> Any: ...

    with DAG("d") as dag:
        outer = s.override(task_id="s1")(1)
        with t.override(task_id="t1")(outer):
            inner = s.override(task_id="s2")(outer)
            with t.override(task_id="t2")(inner):
                w.override(task_id="b")(w.override(task_id="a")(inner))
    assert edges(dag) == "a>b b>t2 s1>s2 s1>t1 s2>a s2>t2 t2>t1"


def test_blocks_opened_by_setups_alone_nest(dag: DAG) -> None:
    one, two = make("s1").as_setup(), make("s2").as_setup()
    one >> make("t1").as_teardown()
    two >> make("t2").as_teardown()
    with one, two:
        make("w")
    assert edges(dag) == "s1>s2 s1>t1 s2>t2 s2>w t2>t1 w>t2"


def test_a_block_opened_by_a_setup_holds_one_opened_by_a_teardown(dag: DAG) -> None:
    one = make("s1").as_setup()
    one >> make("t1").as_teardown()
    with one, pair(2):
        make("w")
    assert edges(dag) == "s1>s2 s1>t1 s2>t2 s2>w t2>t1 w>t2"


def test_an_inner_block_without_teardown_or_setup_has_those_of_the_outer(dag: DAG) -> None:
    with pair(1):
        with make("s2").as_setup():
            make("a")
        with make("t3").as_teardown():
            make("b")
    assert edges(dag) == "a>t1 b>t3 s1>b s1>s2 s1>t1 s2>a t3>t1"


def test_explicit_relations_across_the_blocks_stay_and_add_to_those_of_the_blocks(dag: DAG) -> None:
    with pair(1):
        before = make("before")
        with pair(2) as scope:
            w = make("w")
            before >> w
        scope.teardowns[0] >> make("after")
    assert edges(dag) == "after>t1 before>w s1>before s1>s2 s1>t1 s2>t2 s2>w t2>after t2>t1 w>t2"


def test_the_last_task_made_is_tied_to_the_teardown_where_every_one_has_a_downstream_task(dag: DAG) -> None:
    with pair(1):
        before = make("before")
        with pair(2):
            before >> make("w")
    assert edges(dag) == "before>t1 before>w s1>before s1>s2 s1>t1 s2>t2 s2>w t2>t1 w>t2"


def test_a_task_that_has_relations_outside_is_tied_only_where_no_other_is(dag: DAG) -> None:
    x, y = make("x"), make("y")
    with pair(1):
        x >> make("w") >> y
    assert edges(dag) == "s1>t1 s1>w w>t1 w>y x>w"
    with pair(2):
        x >> make("v") >> y
        make("u")
    assert not {"s2>v", "v>t2"} & set(edges(dag).split())
    assert {"s2>u", "u>t2"} <= set(edges(dag).split())


def test_setups_and_teardowns_that_open_no_block_are_no_work_of_it(dag: DAG) -> None:
    with pair(1):
        own = make("own").as_setup()
        own >> make("w") >> make("clean").as_teardown(setups=own)
    assert edges(dag) == "own>clean own>w s1>t1 s1>w w>clean w>t1"


def test_the_setup_of_a_block_may_stand_before_another_teardown(dag: DAG) -> None:
    one = make("s1").as_setup()
    with one >> make("t1").as_teardown() >> make("t2").as_teardown():
        make("w")
    assert edges(dag) == "s1>t1 s1>w t1>t2 w>t2"


def test_the_teardown_of_a_block_is_found_behind_other_tasks(dag: DAG) -> None:
    one = make("s1").as_setup()
    one >> make("x") >> make("t1").as_teardown()
    with one:
        make("w")
    assert edges(dag) == "s1>w s1>x w>t1 x>t1"


def test_task_groups_in_a_block_are_work_of_it(dag: DAG) -> None:
    with pair(1):
        with TaskGroup("g") as group:
            make("a") >> make("b")
        group >> make("c")
    assert edges(dag) == "c>t1 g.a>g.b g.b>c s1>g.a s1>t1"


def test_tasks_made_elsewhere_are_added_to_the_block_that_is_named(dag: DAG) -> None:
    a, b = make("a"), make("b")
    with pair(1) as outer, pair(2) as inner:
        inner.add_task(b.output)
        outer.add_task(a)
    assert edges(dag) == "a>t1 b>t2 s1>a s1>s2 s1>t1 s2>b s2>t2 t2>t1"
