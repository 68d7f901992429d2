"""Which tasks a person means."""

from __future__ import annotations

import re

import pytest

from gnomon.errors.product import UserError
from gnomon.model.slots import TimetableRef
from gnomon.model.spec import DagSpec, TaskSpec
from gnomon.report.listings.task_selection import select_tasks

EDGES = {"a": (), "b": ("a",), "c": ("a",), "d": ("b", "c"), "e": ("d",), "lone": ()}
SPEC = DagSpec(
    dag_id="etl",
    timetable=TimetableRef(path="none"),
    tasks=tuple(TaskSpec(task_id=task_id, upstream=upstream) for task_id, upstream in EDGES.items()),
)


def ids(*task_ids: str, pattern: str | None = None, upstream: bool = False, downstream: bool = False) -> list[str]:
    compiled = re.compile(pattern) if pattern is not None else None
    return [t.task_id for t in select_tasks(SPEC, task_ids, compiled, upstream=upstream, downstream=downstream)]


def test_no_choice_is_every_task() -> None:
    assert ids() == list(EDGES)


def test_ids_are_answered_in_topological_order() -> None:
    assert ids("d", "a") == ["a", "d"]


def test_downstream_reaches_to_the_leaves_and_not_to_the_siblings() -> None:
    assert ids("b", downstream=True) == ["b", "d", "e"]


def test_upstream_reaches_to_the_roots() -> None:
    assert ids("d", upstream=True) == ["a", "b", "c", "d"]


def test_both_ways_do_not_mix() -> None:
    assert ids("b", upstream=True, downstream=True) == ["a", "b", "d", "e"]


def test_a_pattern_adds_to_the_ids() -> None:
    assert ids("lone", pattern="^[bc]$") == ["b", "c", "lone"]


def test_an_unknown_task_is_answered_with_the_nearest() -> None:
    with pytest.raises(UserError, match="there is no task 'loan' in DAG 'etl'; did you mean 'lone'"):
        ids("loan")


def test_a_pattern_that_finds_nothing_says_where_the_ids_are() -> None:
    with pytest.raises(UserError, match="no task of DAG 'etl' matches 'zzz'; `gnomon tasks list etl`"):
        ids(pattern="zzz")
