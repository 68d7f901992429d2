"""Setting and deleting an XCom from outside.

The owner of a DAG deletes the XComs of a task instance when an attempt starts, and writes them when it ends. So a value may be changed from
outside only while the instance is finished.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from gnomon.changes.actions.actor import Actor
from gnomon.model.attempts import RETURN_VALUE, measure_json, xcom_fault
from gnomon.model.errors.product import UserError
from gnomon.model.ids import UNMAPPED
from gnomon.model.records import EventRecord, RunRecord
from gnomon.model.sentences import Command, RunName, TaskName, say
from gnomon.model.serde.stored_objects import CLASSNAME, find_object_place
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.masked_values import keep_json_secrets
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import find_run
from gnomon.storage.store import Database, NotFound, Transaction
from gnomon.storage.store.dag_records import event_log, xcom_values


@dataclass(frozen=True, slots=True)
class XComName:
    """Where a value is."""

    dag_id: str
    run_id: str
    task_id: str
    map_index: int
    key: str


class XComExists(UserError):
    """The task instance already has a value under the key."""


class XComHoldsObject(UserError):
    """The value names a class of which a task that reads it would make an object: only tasks store such values."""


def encode_value(value: object) -> str:
    """The value as JSON text. Raises ValueError for a number that JSON does not have."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def set_xcom(actor: Actor, db: Database, name: XComName, text: str, *, replaces: bool | None = None) -> None:
    """Set the value to this JSON text; *** for a secret, as answers show it, is the stored secret. `replaces`: True, there must be a value; False, there must be none; None, either.

    Raises UserError: the task instance is not finished, the key or the value is too large, the value holds an object of a class (XComHoldsObject), or a mapped task is expanded over another number of elements.
    Raises XComExists or NotFound as `replaces` says.
    """
    fault = xcom_fault("VALUE", name.key, text)
    if fault is not None:
        raise UserError(say("xcom_is_wrong", fault=fault))
    place = find_object_place(json.loads(text))
    if place is not None:
        raise XComHoldsObject(say("value_holds_object", place=place, key=CLASSNAME))
    with db.write() as tx:
        run, task_no, length = _lock(tx, name)
        if replaces is not None:
            _check_presence(tx, run, name, replaces)
        stored = next(
            (
                xcom.value
                for xcom in xcom_values.read_xcoms(tx, run, name.key, [name.task_id])
                if xcom.map_index == name.map_index
            ),
            None,
        )
        if (
            stored is not None
            and (text := keep_json_secrets(tx, f"XCom {name.key!r}", submitted := text, stored)) != submitted
        ):
            fault = xcom_fault("VALUE", name.key, text)
            if fault is not None:
                raise UserError(say("xcom_is_wrong", fault=fault))
        if name.key == RETURN_VALUE and length is not None and length != measure_json(text):
            raise UserError(
                say(
                    "result_has_another_length",
                    task=TaskName(name.dag_id, name.run_id, name.task_id, name.map_index),
                    length=length,
                    run=RunName(name.dag_id, name.run_id),
                )
            )
        xcom_values.write_xcom(tx, run.run_pk, task_no, name.map_index, name.key, text)
        _log(actor, tx, run, task_no, name, "xcom_set")


def delete_xcom(actor: Actor, db: Database, name: XComName) -> None:
    """Delete the value. Raises UserError when the task instance is not finished, or a mapped task is expanded over the value, NotFound without one."""
    with db.write() as tx:
        run, task_no, length = _lock(tx, name)
        if name.key == RETURN_VALUE and length is not None:
            raise UserError(
                say(
                    "result_is_expanded_over",
                    run=RunName(name.dag_id, name.run_id),
                    task=TaskName(name.dag_id, name.run_id, name.task_id, name.map_index),
                )
            )
        if not xcom_values.remove_xcom(tx, run.run_pk, task_no, name.map_index, name.key):
            raise _xcom_not_found(name)
        _log(actor, tx, run, task_no, name, "xcom_deleted")


def name_instance(task_id: str, map_index: int) -> str:
    """`task_id` or `task_id[map_index]`."""
    return task_id if map_index == UNMAPPED else f"{task_id}[{map_index}]"


def _xcom_not_found(name: XComName) -> NotFound:
    return NotFound(
        say(
            "task_has_no_xcom",
            task=TaskName(name.dag_id, name.run_id, name.task_id, name.map_index),
            key=name.key,
            run=RunName(name.dag_id, name.run_id),
            hint=say("command_lists_it_all", command=Command("xcom list", (name.dag_id, name.run_id))),
        )
    )


def _check_presence(tx: Transaction, run: RunRecord, name: XComName, replaces: bool) -> None:
    exists = any(xcom.map_index == name.map_index for xcom in xcom_values.read_xcoms(tx, run, name.key, [name.task_id]))
    if exists and not replaces:
        raise XComExists(
            say(
                "xcom_exists",
                task=TaskName(name.dag_id, name.run_id, name.task_id, name.map_index),
                key=name.key,
                run=RunName(name.dag_id, name.run_id),
            )
        )
    if not exists and replaces:
        raise _xcom_not_found(name)


def _lock(tx: Transaction, name: XComName) -> tuple[RunRecord, int, int | None]:
    """The run, the number of the task, and the length of its return value where a mapped task is expanded over it. Raises UserError."""
    dag = find_dag(tx, name.dag_id)
    run = find_run(tx, dag, name.run_id)
    if name.task_id not in dag.task_numbers:
        raise task_not_found(name.dag_id, name.task_id, dag.task_numbers)
    locked = xcom_values.lock_task_instance(tx, run.run_pk, dag.task_numbers[name.task_id], name.map_index)
    if locked is None or locked[0] not in FINISHED_TASK_STATES:
        state = "not started" if locked is None or locked[0] is None else locked[0].value
        shown = name_instance(name.task_id, name.map_index)
        raise UserError(
            say(
                "xcoms_are_in_use",
                task=TaskName(name.dag_id, name.run_id, name.task_id, name.map_index),
                run=RunName(name.dag_id, name.run_id),
                state=state,
                command=Command("tasks mark", (name.dag_id, name.run_id, shown), ("--state", "success")),
            )
        )
    return run, dag.task_numbers[name.task_id], locked[1] if locked[1] is not None and locked[1] >= 0 else None


def _log(actor: Actor, tx: Transaction, run: RunRecord, task_no: int, name: XComName, kind: str) -> None:
    event_log.log_event(
        tx,
        EventRecord(
            actor.clock.now(),
            kind,
            dag_pk=run.dag_pk,
            run_pk=run.run_pk,
            task_no=task_no,
            map_index=name.map_index,
            by=actor.by,
            body=name.key,
            address=actor.address,
        ),
    )
