"""DAGs with mapped tasks, and what a user or a new version of the file does to their runs."""

from __future__ import annotations

import copy
from typing import Any

from msgspec.structs import replace

from gnomon.model.attempts import XComItem
from gnomon.model.ids import TaskKey
from gnomon.model.mapping import Expansion, LiteralLength, XComLength
from gnomon.model.records import DagRecord
from gnomon.model.spec import TaskSpec
from gnomon.rules.engine import events as e

from .world import World


def literal(*lengths: int) -> Expansion:
    return Expansion(factors=tuple(LiteralLength(length=n) for n in lengths))


def over(*task_ids: str) -> Expansion:
    return Expansion(factors=tuple(XComLength(task_id=task_id) for task_id in task_ids))


VALUE = (XComItem(key="return_value", value="1"),)
LENGTH_FROM_U = [
    TaskSpec(task_id="u"),
    TaskSpec(task_id="d", upstream=("u",), expansion=over("u")),
    TaskSpec(task_id="j", upstream=("d",)),
]
GROUP: dict[str, Any] = {"groups": {"g": None}, "group_expansions": {"g": over("u")}}
IN_GROUP = [
    TaskSpec(task_id="u"),
    TaskSpec(task_id="a", upstream=("u",), group="g"),
    TaskSpec(task_id="b", upstream=("a",), group="g"),
    TaskSpec(task_id="j", upstream=("b",)),
]


def clear(world: World, run_pk: int, *names: str) -> None:
    """Clear instances, each `task_id` or `task_id[index]`."""
    keys = []
    for name in names:
        task_id, _, index = name.rstrip("]").partition("[")
        keys.append(TaskKey(run_pk, world.dags[1].task_numbers[task_id], int(index) if index else -1))
    world.step(e.ClearTasks(run_pk, tuple(keys), "me"))


def new_version(world: World, tasks: list[TaskSpec], **fields: object) -> None:
    dag: DagRecord = copy.deepcopy(world.dags[1])
    numbers = dict(dag.task_numbers)
    for task in tasks:
        numbers.setdefault(task.task_id, len(numbers))
    dag.spec, dag.version_pk, dag.task_numbers = (
        replace(dag.spec, tasks=tuple(tasks), **fields),
        dag.version_pk + 1,
        numbers,
    )
    world.dags[1] = dag
    world.step(e.DagRead(copy.deepcopy(dag)))
