"""What is said of a name that is not there: the name, where it was looked for, and the nearest ones."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.errors.product import UserError, find_close_matches

_SHOWN = 3


class NameNotFound(UserError):
    """A DAG, run, task, pool or Variable that does not exist."""

    def __init__(self, thing: str, name: str, place: str, existing: Iterable[str], remedy: str) -> None:
        near = find_close_matches(name, existing, most=_SHOWN)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else remedy
        super().__init__(f"there is no {thing} {name!r}{place}; {hint}")
        self.thing = thing
        self.name = name
        self.near = near


def dag_not_found(dag_id: str, existing: Iterable[str], failed: str | None = None) -> NameNotFound:
    """`failed`: what is wrong with the file that should have defined it."""
    if failed is not None:
        return NameNotFound("DAG", dag_id, "", (), f"it could not be loaded: {failed}")
    return NameNotFound("DAG", dag_id, "", existing, "`gnomon dags list` shows them all, `gnomon dags errors` files that failed")


def run_not_found(dag_id: str, run_id: str, existing: Iterable[str]) -> NameNotFound:
    return NameNotFound("run", run_id, f" of DAG {dag_id!r}", existing, f"`gnomon runs list {dag_id}` shows them all")


def task_not_found(dag_id: str, task_id: str, existing: Iterable[str]) -> NameNotFound:
    return NameNotFound("task", task_id, f" in DAG {dag_id!r}", existing, f"`gnomon tasks list {dag_id}` shows them all")


def pool_not_found(name: str, existing: Iterable[str]) -> NameNotFound:
    return NameNotFound("pool", name, "", existing, "`gnomon pools list` shows them all")


def variable_not_found(key: str, existing: Iterable[str]) -> NameNotFound:
    return NameNotFound("Variable", key, "", existing, "`gnomon variables list` shows them all")
