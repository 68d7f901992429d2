"""The names of a task instance's log files: their paths below the folder of all logs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.model.attempts import build_attempt_log_path, build_trigger_log_path
from gnomon.model.errors.product import UserError
from gnomon.model.ids import UNMAPPED, format_map_indices
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, RunRecord
from gnomon.model.sentences import Command, RunName, TaskName, say
from gnomon.model.states import TaskInstanceState
from gnomon.queries.report.listings.not_found import task_not_found
from gnomon.queries.report.listings.run_list import list_task_instances
from gnomon.storage.remote_logs.task_log_folder import LogLookup
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs


def find_log_files(
    tx: Transaction,
    dag: DagRecord,
    run: RunRecord,
    task_id: str,
    map_index: int,
    try_number: int | None,
    lookup: LogLookup,
) -> list[str]:
    """The log files of one try (None: the last), oldest first; several when an attempt was lost and repeated within the try.

    `lookup`: tells which files exist. Raises NameNotFound for an unknown task, UserError when there is no log.
    """
    if task_id not in dag.task_numbers:
        raise task_not_found(dag.dag_id, task_id, dag.task_numbers)
    attempts = _attempts(tx, dag, run, task_id, map_index)
    shown = task_id if map_index == UNMAPPED else f"{task_id}[{map_index}]"
    key = (dag.dag_id, run.run_id, task_id, map_index)
    start_log = [name for name in [_find_path(build_trigger_log_path, key, 0, lookup)] if lookup.has(name)]
    if not attempts and start_log:
        return start_log
    indices = [] if attempts or map_index != UNMAPPED else _list_map_indices(tx, dag, run, task_id)
    if indices:
        raise UserError(
            say(
                "log_needs_map_index",
                task_id=task_id,
                run=RunName(dag.dag_id, run.run_id),
                indices=format_map_indices(indices),
            )
        )
    if not attempts:
        states = {row.map_index: row.state for row in list_task_instances(tx, dag, run, task_id)}
        if map_index != UNMAPPED and map_index not in states:
            raise UserError(
                say(
                    "map_index_does_not_exist",
                    task_id=task_id,
                    map_index=map_index,
                    run=RunName(dag.dag_id, run.run_id),
                    command=Command("tasks states"),
                )
            )
        name = TaskName(dag.dag_id, run.run_id, task_id, map_index)
        if states.get(map_index) == TaskInstanceState.SUCCESS:
            raise UserError(say("task_needed_no_worker", task=name, run=RunName(dag.dag_id, run.run_id)))
        raise UserError(
            say(
                "task_has_no_log",
                task=name,
                run=RunName(dag.dag_id, run.run_id),
                command=Command("explain", (dag.dag_id, run.run_id, shown)),
            )
        )
    chosen_try = max(attempts) if try_number is None else try_number
    if chosen_try not in attempts:
        raise UserError(
            say(
                "task_has_no_such_try",
                task=TaskName(dag.dag_id, run.run_id, task_id, map_index),
                try_number=chosen_try,
                run=RunName(dag.dag_id, run.run_id),
                tries_of_task=_describe_tries(attempts),
            )
        )
    names = [
        _find_path(build, key, seq, lookup)
        for seq in sorted(attempts[chosen_try])
        for build in (build_attempt_log_path, build_trigger_log_path)
    ]
    existing = [name for name in names if lookup.has(name)]
    existing[:0] = start_log if chosen_try == min(attempts) else []
    if not existing:
        raise UserError(
            say(
                "log_is_elsewhere",
                task=TaskName(dag.dag_id, run.run_id, task_id, map_index),
                try_number=chosen_try,
                file=str(lookup.locate(names[-2])),
                elsewhere=lookup.elsewhere,
            )
        )
    return existing


@dataclass(frozen=True, slots=True)
class AttemptLog:
    """The logs of one attempt of a run: its own, then that of its trigger if it deferred. A file that is missing was not written yet,
    or is on another machine."""

    task_id: str
    map_index: int
    try_number: int
    seq: int
    started_at: Instant | None
    is_ended: bool
    files: tuple[str, ...]

    @property
    def name(self) -> str:
        """`task_id` or `task_id[map_index]`."""
        return self.task_id if self.map_index < 0 else f"{self.task_id}[{self.map_index}]"


def list_attempt_logs(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str | None, map_index: int | None, lookup: LogLookup
) -> list[AttemptLog]:
    """The logs of all attempts of the run, of one task, or of one task instance, in the order of their starts; the live attempts last."""
    names = {number: name for name, number in dag.task_numbers.items()}

    def build(
        task_no: int, index: int, try_number: int, seq: int, started_at: Instant | None, is_ended: bool
    ) -> AttemptLog:
        key = (dag.dag_id, run.run_id, names.get(task_no, f"task {task_no}"), index)
        starts = [(build_trigger_log_path, 0)] if seq == 1 else []
        files = [
            _find_path(build, key, number, lookup)
            for build, number in (*starts, (build_attempt_log_path, seq), (build_trigger_log_path, seq))
        ]
        return AttemptLog(key[2], index, try_number, seq, started_at, is_ended, tuple(files))

    ended = [
        build(attempt.task_no, attempt.map_index, attempt.try_number, attempt.seq, attempt.started_at, True)
        for attempt in dag_runs.list_attempts(tx, run.run_pk)
        if attempt.kind == "task"
    ]
    ended_attempts = {(log.task_id, log.map_index, log.seq) for log in ended}
    live = [
        build(row.task_no, row.map_index, row.try_number, row.seq, row.started_at, False)
        for row in dag_runs.list_task_states(tx, run.run_pk)
        if (row.attempt is not None or row.state is TaskInstanceState.DEFERRED)
        and (names.get(row.task_no), row.map_index, row.seq) not in ended_attempts
    ]
    chosen = [log for log in (*ended, *live) if task_id in (None, log.task_id) and map_index in (None, log.map_index)]
    return sorted(
        chosen, key=lambda log: (log.started_at is None, log.started_at or 0, log.task_id, log.map_index, log.seq)
    )


def _find_path(build: Callable[..., str], key: tuple[str, str, str, int], seq: int, lookup: LogLookup) -> str:
    """The path of the log; that of the former rule where only that exists."""
    path, former = build(*key, seq), build(*key, seq, is_former=True)
    return former if former != path and not lookup.has(path) and lookup.has(former) else path


def _list_map_indices(tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str) -> list[int]:
    """The map indices of the task's instances that have been started."""
    number = dag.task_numbers[task_id]
    return [
        row.map_index
        for row in dag_runs.list_task_states(tx, run.run_pk)
        if row.task_no == number and row.map_index >= 0 and row.seq
    ]


def _attempts(tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str, map_index: int) -> dict[int, set[int]]:
    """The sequence numbers of the attempts of each try, by try number; the live attempt is included."""
    number = dag.task_numbers[task_id]
    attempts: dict[int, set[int]] = {}
    for attempt in dag_runs.list_attempts(tx, run.run_pk, number, map_index):
        if attempt.kind == "task":
            attempts.setdefault(attempt.try_number, set()).add(attempt.seq)
    for row in dag_runs.list_task_states(tx, run.run_pk):
        if (row.task_no, row.map_index) == (number, map_index) and row.attempt is not None:
            attempts.setdefault(row.try_number, set()).add(row.seq)
    return attempts


def _describe_tries(attempts: dict[int, set[int]]) -> str:
    return ", ".join(map(str, sorted(attempts)))
