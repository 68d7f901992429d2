"""Where the log of a task instance is."""

from __future__ import annotations

from pathlib import Path

from gnomon.errors.product import UserError
from gnomon.model.attempts import build_attempt_log_path, build_trigger_log_path
from gnomon.model.ids import UNMAPPED, quote_argument
from gnomon.model.records import DagRecord, RunRecord
from gnomon.report.listings.not_found import task_not_found
from gnomon.store import Transaction
from gnomon.store.dag_records import dag_runs


def find_log_files(
    tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str, map_index: int, try_number: int | None, folder: Path
) -> list[Path]:
    """The logs of one try (None: of the last), oldest first: several when an attempt was lost and repeated at no cost.

    UserMistake says why there is none.
    """
    if task_id not in dag.task_numbers:
        raise task_not_found(dag.dag_id, task_id, dag.task_numbers)
    numbers = _attempts(tx, dag, run, task_id, map_index)
    name = task_id if map_index == UNMAPPED else f"{task_id}[{map_index}]"
    place = (dag.dag_id, run.run_id, task_id, map_index)
    of_start = [path for path in [folder / build_trigger_log_path(*place, 0)] if path.is_file()]
    if not numbers and of_start:
        return of_start
    if not numbers:
        raise UserError(
            f"task {name!r} has no log in run {run.run_id!r}: no attempt of it was made; "
            f"`gnomon explain {dag.dag_id} {quote_argument(run.run_id)} {task_id}` says why"
        )
    wanted = max(numbers) if try_number is None else try_number
    if wanted not in numbers:
        raise UserError(f"task {name!r} has no try {wanted} in run {run.run_id!r}; there are: {_describe_tries(numbers)}")
    paths = [folder / name(*place, seq) for seq in sorted(numbers[wanted]) for name in (build_attempt_log_path, build_trigger_log_path)]
    there = [path for path in paths if path.is_file()]
    there[:0] = of_start if wanted == min(numbers) else []
    if not there:
        raise UserError(
            f"the log of task {name!r}, try {wanted}, is not on this machine: {paths[-2]} does not exist; "
            "it is where the worker ran, or was removed"
        )
    return there


def _attempts(tx: Transaction, dag: DagRecord, run: RunRecord, task_id: str, map_index: int) -> dict[int, set[int]]:
    """Try number to the numbers of its attempts, the live one included."""
    number = dag.task_numbers[task_id]
    found: dict[int, set[int]] = {}
    for attempt in dag_runs.list_attempts(tx, run.run_pk, number, map_index):
        if attempt.kind == "task":
            found.setdefault(attempt.try_number, set()).add(attempt.seq)
    for row in dag_runs.list_task_states(tx, run.run_pk):
        if (row.task_no, row.map_index) == (number, map_index) and row.attempt is not None:
            found.setdefault(row.try_number, set()).add(row.seq)
    return found


def _describe_tries(numbers: dict[int, set[int]]) -> str:
    return ", ".join(map(str, sorted(numbers)))
