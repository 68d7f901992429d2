"""Logs of task instances and of callbacks of runs: which files there are, and their text in pieces.

A file is named relative to the folder of all logs. A piece is given only of a file that belongs to the task instance, or to the run, of the request:
the names are computed again for each piece, so that no request can name another file.
"""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.errors.product import UserError
from gnomon.model.instants import Instant
from gnomon.model.sentences import say
from gnomon.model.states import FINISHED_RUN_STATES
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.log_files import find_log_files, list_attempt_logs
from gnomon.queries.report.listings.log_tail import read_whole_lines
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_callback_list import find_callback_logs
from gnomon.queries.report.listings.run_list import (
    RunRow,
    TaskInstanceRow,
    build_run_row,
    find_run,
    list_task_instances,
)
from gnomon.storage.remote_logs.task_log_folder import LogLookup
from gnomon.storage.store import Transaction


@dataclass(frozen=True, slots=True)
class AttemptFiles:
    """The log files of one attempt of a run. `is_stored`: at least one of them is on the machine that reads logs, or in the remote folder."""

    task_id: str
    map_index: int
    try_number: int
    seq: int
    started_at: Instant | None
    is_ended: bool
    is_stored: bool
    files: tuple[str, ...]
    """Those that exist; of an attempt that has not ended also those that may be written yet."""

    @property
    def name(self) -> str:
        """`task_id` or `task_id[map_index]`."""
        return self.task_id if self.map_index < 0 else f"{self.task_id}[{self.map_index}]"


@dataclass(frozen=True, slots=True)
class RunLogs:
    """A run, its task instances, and the log files of its attempts, at one instant."""

    run: RunRow
    is_finished: bool
    instances: list[TaskInstanceRow]
    attempts: list[AttemptFiles]


@dataclass(frozen=True, slots=True)
class LogPiece:
    """Whole lines of a file, and the byte behind them; no lines: there are no more for now."""

    lines: list[str]
    end: int


@dataclass(frozen=True, slots=True)
class CallbackLog:
    """The log of a callback of a run."""

    title: str
    file: str


@operation("logs.of_run", "read", "task log")
def list_run_logs(
    scope: OperationScope, dag_id: str, run_id: str, task_id: str | None = None, map_index: int | None = None
) -> RunLogs:
    """The log files of all attempts of a run, of one task, or of one task instance, and the states to which they belong."""
    lookup = scope.task_logs.look_up()

    def find() -> RunLogs:
        with scope.db.read() as tx:
            dag = find_dag(tx, dag_id)
            run = find_run(tx, dag, run_id)
            if task_id is not None and task_id not in dag.task_numbers:
                raise task_not_found(dag_id, task_id, dag.task_numbers)
            rows = [
                row
                for row in list_task_instances(tx, dag, run)
                if task_id in (None, row.task_id) and map_index in (None, row.map_index)
            ]
            attempts = _list_attempts(lookup, tx, dag_id, run_id, task_id, map_index)
            (row,) = scope.hide_names(tx, [build_run_row(dag_id, run)])
            return RunLogs(row, run.state in FINISHED_RUN_STATES, scope.hide_names(tx, rows), attempts)

    return lookup.search(find)


@operation("logs.of_try", "read", "task log")
def list_try_logs(
    scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int, try_number: int | None = None
) -> list[str]:
    """The log files of one try of a task instance, the last one without `try_number`, oldest first."""
    lookup = scope.task_logs.look_up()

    def find() -> list[str]:
        with scope.db.read() as tx:
            dag = find_dag(tx, dag_id)
            return find_log_files(tx, dag, find_run(tx, dag, run_id), task_id, map_index, try_number, lookup)

    return lookup.search(find)


@operation("logs.why_none", "read", "task log")
def explain_missing_log(scope: OperationScope, dag_id: str, run_id: str, task_id: str, map_index: int) -> list[str]:
    """Why a task instance has no log yet: what it waits for."""
    from gnomon.queries.report.explanations.task_explanation import explain_task  # start-up cost: few commands need it

    with scope.db.read() as tx:
        dag = find_dag(tx, dag_id)
        run = find_run(tx, dag, run_id)
        explanation = explain_task(tx, dag, run, task_id, map_index, scope.limits, scope.actor.clock.now())
        return list(map(scope.dags.build_name_filter(tx), explanation.texts))


@operation("logs.read", "read", "task log")
def read_log(
    scope: OperationScope,
    dag_id: str,
    run_id: str,
    task_id: str,
    map_index: int,
    file: str,
    start: int = 0,
    is_over: bool = False,
) -> LogPiece:
    """Lines of a log file of a task instance from the byte `start` on. `is_over`: nothing more will be written, so the last line is whole."""
    lookup = scope.task_logs.look_up()

    def find() -> list[AttemptFiles]:
        with scope.db.read() as tx:
            return _list_attempts(lookup, tx, dag_id, run_id, task_id, map_index)

    file_names = {name for attempt in lookup.search(find) for name in attempt.files}
    return _read_piece(scope, file_names, file, start, is_over)


@operation("logs.of_callbacks", "read", "task log")
def list_callback_logs(scope: OperationScope, dag_id: str, run_id: str) -> list[CallbackLog]:
    """The logs of the callbacks of a run, oldest first."""
    lookup = scope.task_logs.look_up()

    def find() -> list[CallbackLog]:
        with scope.db.read() as tx:
            dag = find_dag(tx, dag_id)
            return [
                CallbackLog(title, name)
                for title, name in find_callback_logs(tx, dag, find_run(tx, dag, run_id), lookup)
            ]

    return lookup.search(find)


@operation("logs.read_callback", "read", "task log")
def read_callback_log(scope: OperationScope, dag_id: str, run_id: str, file: str, start: int = 0) -> LogPiece:
    """Lines of the log of a callback of a run from the byte `start` on."""
    file_names = {log.file for log in list_callback_logs.function(scope, dag_id, run_id)}
    return _read_piece(scope, file_names, file, start, True)


def _list_attempts(
    lookup: LogLookup, tx: Transaction, dag_id: str, run_id: str, task_id: str | None, map_index: int | None
) -> list[AttemptFiles]:
    dag = find_dag(tx, dag_id)
    logs = list_attempt_logs(tx, dag, find_run(tx, dag, run_id), task_id, map_index, lookup)
    attempts = []
    for log in logs:
        stored = tuple(name for name in log.files if lookup.has(name))
        files = stored if log.is_ended else log.files
        attempts.append(
            AttemptFiles(
                log.task_id, log.map_index, log.try_number, log.seq, log.started_at, log.is_ended, bool(stored), files
            )
        )
    return attempts


def _read_piece(scope: OperationScope, file_names: set[str], file: str, start: int, is_over: bool) -> LogPiece:
    if file not in file_names:
        raise UserError(say("log_file_does_not_exist", file=file))
    text = read_whole_lines(scope.task_logs.fetch(file), max(start, 0), is_over=is_over)
    return LogPiece(text.decode(errors="replace").splitlines(), max(start, 0) + len(text))
