"""What is said of a name that is not there: the name, where it was looked for, and the nearest ones."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.errors.nearest import nearest
from gnomon.errors.product import UserMistake

_SHOWN = 3


class NotThere(UserMistake):
    """A DAG, run, task, pool or Variable that does not exist."""

    def __init__(self, thing: str, name: str, place: str, existing: Iterable[str], remedy: str) -> None:
        near = nearest(name, existing, most=_SHOWN)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else remedy
        super().__init__(f"there is no {thing} {name!r}{place}; {hint}")
        self.thing = thing
        self.name = name
        self.near = near


def no_dag(dag_id: str, existing: Iterable[str], failed: str | None = None) -> NotThere:
    """`failed`: what is wrong with the file that should have defined it."""
    if failed is not None:
        return NotThere("DAG", dag_id, "", (), f"it could not be loaded: {failed}")
    return NotThere("DAG", dag_id, "", existing, "`gnomon dags list` shows them all, `gnomon dags errors` files that failed")


def no_run(dag_id: str, run_id: str, existing: Iterable[str]) -> NotThere:
    return NotThere("run", run_id, f" of DAG {dag_id!r}", existing, f"`gnomon runs list {dag_id}` shows them all")


def no_task(dag_id: str, task_id: str, existing: Iterable[str]) -> NotThere:
    return NotThere("task", task_id, f" in DAG {dag_id!r}", existing, f"`gnomon tasks list {dag_id}` shows them all")


def no_pool(name: str, existing: Iterable[str]) -> NotThere:
    return NotThere("pool", name, "", existing, "`gnomon pools list` shows them all")


def no_variable(key: str, existing: Iterable[str]) -> NotThere:
    return NotThere("Variable", key, "", existing, "`gnomon variables list` shows them all")
