"""DAGs, as a task may see them."""

from __future__ import annotations

import msgspec

from gnomon import store
from gnomon.model.questions import GetDag
from gnomon.model.spec import DagSpec
from gnomon.store import dags, load


def dag(tx: store.Transaction, question: GetDag) -> object:
    """{active, paused, file, spec, cursor} of the DAG with its newest version; None when there is no such DAG."""
    row = dags.find(tx, question.dag_id)
    found = [] if row is None else load.load_dags(tx, [row.dag_pk])
    if not found:
        return None
    known = found[0]
    return {
        "active": known.active, "paused": known.paused, "file": known.file, "spec": msgspec.to_builtins(known.spec),
        "cursor": msgspec.to_builtins(known.cursor),
    }


def tasks_of_group(spec: DagSpec, group: str) -> tuple[str, ...]:
    """The ids of the tasks in that group or in one below it."""

    def is_inside(name: str | None) -> bool:
        while name is not None and name != group:
            name = spec.groups.get(name)
        return name is not None

    return tuple(task.task_id for task in spec.tasks if is_inside(task.group))
