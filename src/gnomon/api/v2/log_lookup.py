"""Finds the log of one try of a task instance."""

from __future__ import annotations

from typing import NamedTuple

from gnomon.api.common.refusals import Refusal, find_sentence
from gnomon.api.context import ApiContext
from gnomon.api.v2.lookup import find_dag_and_run
from gnomon.api.v2.task_instance_reader import RunInstances
from gnomon.ground.log.confined_files import ConfinedFile
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import say
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.queries.report.listings.log_files import find_log_files
from gnomon.queries.report.listings.not_found import NameNotFound
from gnomon.queries.report.listings.run_list import list_stored_instances
from gnomon.storage.remote_logs.task_log_folder import LogLookup
from gnomon.storage.store import Transaction


class FoundLog(NamedTuple):
    """The files of a log. `is_over`: nothing more will be written to them."""

    paths: list[ConfinedFile]
    is_over: bool


def find_log(context: ApiContext, place: tuple[str, str, str, int], try_number: int) -> FoundLog:
    """The log of a try of the task instance (dag_id, run_id, task_id, map_index); of the last try for 0. Raises NameNotFound, Refusal, RemoteLogError."""
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
        raise Refusal(404, find_sentence(error)) from None
    return FoundLog([context.task_logs.fetch(name) for name in names], is_over)


def _find_names(
    tx: Transaction, place: tuple[str, str, str, int], try_number: int, lookup: LogLookup
) -> tuple[list[str], bool]:
    """The names of the files, and whether nothing more will be written to them."""
    dag_id, run_id, task_id, map_index = place
    dag, run = find_dag_and_run(tx, dag_id, run_id)
    record = next((row for row in list_stored_instances(tx, dag, run, task_id) if row.map_index == map_index), None)
    if record is None:
        RunInstances(tx, dag_id, run_id, task_id).find(task_id, map_index)
    is_over = record is None or record.state in FINISHED_TASK_STATES or record.try_number > try_number
    return find_log_files(tx, dag, run, task_id, map_index, try_number or None, lookup), is_over
