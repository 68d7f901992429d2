"""Finds the log of one try of a task instance."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.context import ApiContext
from gnomon.api.v2.lookup import find_dag_and_run
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import TaskRecord
from gnomon.model.sentences import say
from gnomon.model.states import FINISHED_TASK_STATES, TaskInstanceState
from gnomon.queries.report.listings.log_files import find_log_files
from gnomon.queries.report.listings.not_found import NameNotFound
from gnomon.queries.report.listings.run_list import list_stored_instances
from gnomon.storage.remote_logs.task_log_folder import LogLookup
from gnomon.storage.store import Transaction

_BEGINNING_US = 10 * SECOND
"""A try that began within this time may not have made its file yet, or its machine has not sent the first lines: its log is empty."""


class FoundLog(NamedTuple):
    """The files of a log. `is_over`: nothing more will be written to them."""

    paths: list[ConfinedFile]
    is_over: bool


def find_log(context: ApiContext, place: tuple[str, str, str, int], try_number: int) -> FoundLog:
    """The log of a try of the task instance (dag_id, run_id, task_id, map_index); of the last try for 0.

    It has no files if the try has just begun, or if the task succeeded without a worker. Raises NameNotFound, Refusal, RemoteLogError.
    """
    if try_number < 0:
        raise Refusal(422, say("try_is_negative"))
    lookup = context.task_logs.look_up()

    def find() -> tuple[list[str], bool]:
        with context.database.read() as tx:
            return _find_names(tx, place, try_number, lookup)

    try:
        names, is_over = lookup.search(find)
    except NameNotFound:
        raise
    except UserError as error:
        with context.database.read() as tx:
            record = _find_record(tx, place)
        if record is None or not _is_empty(record, try_number, find_sentence(error).code, context.clock.now()):
            raise Refusal(404, find_sentence(error)) from None
        return FoundLog([], is_over=record.state in FINISHED_TASK_STATES)
    return FoundLog([context.task_logs.fetch(name) for name in names], is_over)


def _find_names(
    tx: Transaction, place: tuple[str, str, str, int], try_number: int, lookup: LogLookup
) -> tuple[list[str], bool]:
    """The names of the files, and whether nothing more will be written to them."""
    dag_id, run_id, task_id, map_index = place
    dag, run = find_dag_and_run(tx, dag_id, run_id)
    record = _find_record(tx, place)
    if record is None:
        RunInstances(tx, dag_id, run_id, task_id).find(task_id, map_index)
    is_over = record is None or record.state in FINISHED_TASK_STATES or record.try_number > try_number
    return find_log_files(tx, dag, run, task_id, map_index, try_number or None, lookup), is_over


def _find_record(tx: Transaction, place: tuple[str, str, str, int]) -> TaskRecord | None:
    dag_id, run_id, task_id, map_index = place
    dag, run = find_dag_and_run(tx, dag_id, run_id)
    return next((row for row in list_stored_instances(tx, dag, run, task_id) if row.map_index == map_index), None)


def _is_empty(record: TaskRecord, try_number: int, code: str, now: Instant) -> bool:
    """Whether the log is not missing: there is nothing in it yet, or never will be."""
    if try_number not in (0, record.try_number) or record.started_at is None:
        return False
    if record.state is TaskInstanceState.SUCCESS:
        return code == "task_needed_no_worker"
    return record.state is TaskInstanceState.RUNNING and now - record.started_at < _BEGINNING_US
