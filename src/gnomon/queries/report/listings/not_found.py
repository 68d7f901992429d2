"""The error for an unknown DAG, run, task, pool, Variable or connection: it suggests the nearest existing names, or how to list them."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.ids import quote_argument

_SHOWN = 3


class NameNotFound(UserError):
    """A DAG, run, task, pool, Variable or connection does not exist.

    `thing`: its kind. `scope`: for example " in DAG 'x'". `existing`: names to suggest. `remedy`: the hint without a near name.
    """

    def __init__(self, thing: str, name: str, scope: str, existing: Iterable[str], remedy: str) -> None:
        near = find_close_matches(name, existing, most=_SHOWN)
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else remedy
        super().__init__(f"there is no {thing} {name!r}{scope}; {hint}")
        self.thing = thing
        self.name = name
        self.near = near


def dag_not_found(dag_id: str, existing: Iterable[str], failed: str | None = None) -> NameNotFound:
    """The error for a DAG. `failed`: the import error of the file that should define it."""
    if failed is not None:
        return NameNotFound("DAG", dag_id, "", (), f"it could not be loaded: {failed}")
    return NameNotFound(
        "DAG",
        dag_id,
        "",
        existing,
        "`gnomon dags list` lists all DAGs, `gnomon dags errors` the files that could not be loaded",
    )


def run_not_found(dag_id: str, run_id: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a run."""
    return NameNotFound(
        "run", run_id, f" of DAG {dag_id!r}", existing, f"`gnomon runs list {quote_argument(dag_id)}` lists all runs"
    )


def task_not_found(dag_id: str, task_id: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a task."""
    return NameNotFound(
        "task",
        task_id,
        f" in DAG {dag_id!r}",
        existing,
        f"`gnomon tasks list {quote_argument(dag_id)}` lists all tasks",
    )


def pool_not_found(name: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a pool."""
    return NameNotFound("pool", name, "", existing, "`gnomon pools list` lists all pools")


def variable_not_found(key: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a Variable."""
    return NameNotFound("Variable", key, "", existing, "`gnomon variables list` lists all Variables")


def connection_not_found(conn_id: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a stored connection."""
    return NameNotFound(
        "stored connection", conn_id, "", existing, "`gnomon connections list` lists all stored connections"
    )
