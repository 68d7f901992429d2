"""XComs of a run. An account of the API gets the secrets of stored connections and Variables masked."""

from __future__ import annotations

import json
from dataclasses import dataclass

from gnomon.changes.actions.xcom_changes import XComName
from gnomon.changes.actions.xcom_changes import delete_xcom as remove_xcom
from gnomon.changes.actions.xcom_changes import set_xcom as store_xcom
from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.attempts import RETURN_VALUE
from gnomon.model.errors.product import UserError
from gnomon.model.ids import UNMAPPED
from gnomon.model.sentences import Command, RunName, TaskName, say
from gnomon.queries.report.listings.connection_list import hide_stored_secrets
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import find_run
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import xcom_values


@dataclass(frozen=True, slots=True)
class XComRow:
    """One value; `value` is what the task pushed, as JSON."""

    task_id: str
    map_index: int
    key: str
    value: object


@operation("xcoms.list", "read", "XCom")
def list_xcoms(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    task_id: str | None = None,
    map_index: int = UNMAPPED,
    show_secrets: bool = False,
) -> list[XComRow]:
    """The XComs of a run, or of one task of it; `map_index` -1: of all instances of the task."""
    _check_secrets(scope, show_secrets)
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        if task_id is not None and task_id not in dag.task_numbers:
            raise task_not_found(dag_id, task_id, dag.task_numbers)
        stored = xcom_values.list_run_xcoms(tx, find_run(tx, dag, run_id))
        chosen = [
            xcom for xcom in stored if task_id in (None, xcom.task_id) and map_index in (UNMAPPED, xcom.map_index)
        ]
        values = _read_values(tx, [xcom.value for xcom in chosen], show_secrets)
    return [XComRow(xcom.task_id, xcom.map_index, xcom.key, value) for xcom, value in zip(chosen, values, strict=True)]


@operation("xcoms.get", "read", "XCom")
def get_xcom(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    task_id: str,
    map_index: int,
    key: str = RETURN_VALUE,
    show_secrets: bool = False,
) -> XComRow:
    """One value."""
    _check_secrets(scope, show_secrets)
    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        if task_id not in dag.task_numbers:
            raise task_not_found(dag_id, task_id, dag.task_numbers)
        xcoms = xcom_values.read_xcoms(tx, run, key, [task_id])
        values = _read_values(tx, [xcom.value for xcom in xcoms if xcom.map_index == map_index], show_secrets)
    if not values:
        indices = [xcom.map_index for xcom in xcoms if xcom.map_index >= 0]
        remedy = (
            say("xcom_is_of_map_index", task=TaskName(dag_id, run_id, task_id, indices[0]))
            if indices
            else say("command_lists_it_all", command=Command("xcom list", (dag_id, run_id)))
        )
        raise UserError(
            say(
                "task_has_no_xcom",
                task=TaskName(dag_id, run_id, task_id, map_index),
                key=key,
                run=RunName(dag_id, run_id),
                hint=remedy,
            )
        )
    return XComRow(task_id, map_index, key, values[0])


@operation("xcoms.set", "edit", "XCom")
def set_xcom(
    scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int, text: str, key: str = RETURN_VALUE
) -> None:
    """Set a value to this JSON text. The task must have ended."""
    try:
        json.loads(text)
    except ValueError as error:
        raise UserError(say("given_value_is_no_json", error=str(error))) from None
    store_xcom(scope.actor, scope.db, XComName(dag_id, run_id, task_id, map_index, key), text)


@operation("xcoms.delete", "delete", "XCom")
def delete_xcom(
    scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int, key: str = RETURN_VALUE
) -> None:
    """Delete a value. The task must have ended."""
    remove_xcom(scope.actor, scope.db, XComName(dag_id, run_id, task_id, map_index, key))


def _check_secrets(scope: OperationScope, show_secrets: bool) -> None:
    if show_secrets and scope.is_remote:
        raise UserError(say("api_shows_no_secrets"))


def _read_values(tx: Transaction, texts: list[str], shows_secrets: bool) -> list[object]:
    values: list[object] = [json.loads(text) for text in texts]
    return values if shows_secrets or not values else list(hide_stored_secrets(tx, values))
