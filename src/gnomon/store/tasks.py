"""Task instances and attempts of a run, as everybody may see them."""

from __future__ import annotations

from gnomon.model.records import AttemptRecord, TaskRecord
from gnomon.store.rows import task_record
from gnomon.store.transaction import Transaction


def states(tx: Transaction, run_pk: int) -> list[TaskRecord]:
    """The task instances of a run that have, or had, a state; by task number and map index."""
    return [task_record(row) for row in tx.all("tasks.states", run_pk=run_pk)]


def attempts(tx: Transaction, run_pk: int, task_no: int | None = None, map_index: int | None = None) -> list[AttemptRecord]:
    """The ended attempts of a run, of one task of it, or of one task instance; in the order they were made."""
    if task_no is None:
        rows = tx.all("tasks.attempts", run_pk=run_pk)
    elif map_index is None:
        rows = tx.all("tasks.attempts_of_task", run_pk=run_pk, task_no=task_no)
    else:
        rows = tx.all("tasks.attempts_of_instance", run_pk=run_pk, task_no=task_no, map_index=map_index)
    return [AttemptRecord(*row) for row in rows]


def first_reschedule(tx: Transaction, run_pk: int, task_no: int, map_index: int, first_try: int) -> int | None:
    """When the first attempt of a task instance began that was rescheduled, from that try on; None when none was."""
    row = tx.one("tasks.first_reschedule", run_pk=run_pk, task_no=task_no, map_index=map_index, first_try=first_try)
    return None if row is None else int(row[0])
