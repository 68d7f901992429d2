"""The error for an unknown DAG, run, task, pool, Variable, connection, asset or backfill: it suggests the nearest existing names, or how to list them."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.sentences import ArgumentValue, Command, Sentence, say

_SHOWN = 3


class NameNotFound(UserError):
    """Something of that name does not exist. `thing`: its kind. `near`: names that the sentence suggests."""

    def __init__(self, thing: str, name: str, sentence: Sentence, near: Iterable[str]) -> None:
        super().__init__(sentence)
        self.thing = thing
        self.name = name
        self.near = list(near)


def _build(
    thing: str, name: str, existing: Iterable[str], remedy: Sentence, code: str = "not_found", **scope: ArgumentValue
) -> NameNotFound:
    """`remedy`: the hint without a near name. `code`: of a sentence that names where the thing is not."""
    near = find_close_matches(name, existing, most=_SHOWN)
    hint = say("did_you_mean", names=" or ".join(map(repr, near))) if near else remedy
    return NameNotFound(thing, name, say(code, thing=thing, name=repr(name), hint=hint, **scope), near)


def _list_all(things: str, verb: str, *names: str) -> Sentence:
    return say("command_lists_all", command=Command(verb, names), things=things)


def dag_not_found(dag_id: str, existing: Iterable[str], failed: str | None = None) -> NameNotFound:
    """The error for a DAG. `failed`: the import error of the file that should define it."""
    if failed is not None:
        return _build("DAG", dag_id, (), say("could_not_be_loaded", error=failed))
    lists = say("commands_list_dags", command=Command("dags list"), other_command=Command("dags errors"))
    return _build("DAG", dag_id, existing, lists)


def hidden_dag_not_found(dag_id: str) -> NameNotFound:
    """The error for a DAG, to a user of whom some DAGs are hidden: a suggestion may be one of them."""
    return _build("DAG", dag_id, (), _list_all("DAGs", "dags list"))


def run_not_found(dag_id: str, run_id: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a run."""
    remedy = _list_all("runs", "runs list", dag_id)
    return _build("run", run_id, existing, remedy, "not_found_of_dag", dag=dag_id)


def task_not_found(dag_id: str, task_id: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a task."""
    remedy = _list_all("tasks", "tasks list", dag_id)
    return _build("task", task_id, existing, remedy, "not_found_in_dag", dag=dag_id)


def pool_not_found(name: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a pool."""
    return _build("pool", name, existing, _list_all("pools", "pools list"))


def variable_not_found(key: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a Variable."""
    return _build("Variable", key, existing, _list_all("Variables", "variables list"))


def connection_not_found(conn_id: str, existing: Iterable[str]) -> NameNotFound:
    """The error for a stored connection."""
    return _build("stored connection", conn_id, existing, _list_all("stored connections", "connections list"))


def backfill_not_found(backfill_pk: int, existing: Iterable[str] = ()) -> NameNotFound:
    """The error for a backfill."""
    return _build("backfill", str(backfill_pk), existing, _list_all("backfills", "backfill list"))


def asset_not_found(text: str, existing: Iterable[str] = ()) -> NameNotFound:
    """The error for an asset, by its name or URI."""
    return _build("asset", text, existing, _list_all("assets", "assets list"))
