"""The journal of changes: each transaction that changes what users see adds one small row, which event streams read in the order of the commits.

A row is a hint: a lost one costs a late picture, never a wrong decision, so nothing in the scheduler reads the journal. Only the newest
ROWS_KEPT rows are kept.

On SQLite the keys are the order of the commits. On PostgreSQL a transaction takes its key before it commits, so a larger key may be visible
first. A reader that finds a key missing asks which transactions hold the lock of a writer on the table (`list_open_writers`): the missing key
belongs to one of these, or to a transaction that has ended. When all of these have ended too, the key is visible, or was rolled back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import msgspec

from gnomon.model.change_entries import (
    ChangeEntry,
    DagChange,
    JournalRow,
    ManyTaskInstancesChange,
    RunChange,
    TaskInstanceChange,
)
from gnomon.model.instants import Instant
from gnomon.model.records import Changes
from gnomon.model.states import FIRST_FINAL_CODE, NO_STATUS_CODE, RUN_STATE_CODES, TASK_STATE_CODES
from gnomon.storage.store.transaction import Transaction

ROWS_KEPT = 10_000
"""Rows of the journal that are kept: minutes of a busy home, days of a quiet one."""
TRIMMED_EVERY = 500
"""A process deletes old rows once in so many of its own."""
TASKS_LISTED_MAX = 2_000
"""If one transaction changes more task instances, it is only recorded how many of each run changed."""
ROWS_SEARCHED_MAX = 200
"""If more rows were added, a reader reads all DAGs anew instead of looking at what changed."""
GAP_SEARCHED_MAX = 50
"""Among so many of the newest keys, one that is missing may still appear (`read_settled_key`)."""
_encoder = msgspec.json.Encoder()
_decoder = msgspec.json.Decoder(tuple[ChangeEntry, ...])


def record_change(tx: Transaction, *entries: ChangeEntry) -> None:
    """Add to the row that the transaction writes at its end."""
    tx.change_entries.extend(entries)


def record_step(tx: Transaction, changes: Changes) -> None:
    """Record the runs, task instances and pauses of one step of the engine: the end of a run after the ends of its tasks."""
    entries = tx.change_entries
    runs = [RunChange(run.dag_pk, run.run_pk, RUN_STATE_CODES[run.state], run.run_id) for run in changes.runs]
    entries.extend([run for run in runs if run.state is not None and run.state < FIRST_FINAL_CODE])
    _record_tasks(entries, changes)
    entries.extend([run for run in runs if run.state is not None and run.state >= FIRST_FINAL_CODE])
    entries.extend(DagChange(dag_pk, "paused") for dag_pk, _ in changes.dag_paused)


def _record_tasks(entries: list[ChangeEntry], changes: Changes) -> None:
    if len(changes.tasks) + len(changes.tasks_deleted) > TASKS_LISTED_MAX:
        counts = Counter(task.run_pk for task in changes.tasks)
        counts.update(key.run_pk for key in changes.tasks_deleted)
        entries.extend(ManyTaskInstancesChange(run_pk, count) for run_pk, count in counts.items())
        return
    entries.extend(TaskInstanceChange(key.run_pk, key.task_no, key.map_index, None) for key in changes.tasks_deleted)
    entries.extend(
        [
            TaskInstanceChange(
                task.run_pk,
                task.task_no,
                task.map_index,
                NO_STATUS_CODE if task.state is None else TASK_STATE_CODES[task.state],
                task.try_number,
            )
            for task in changes.tasks
        ]
    )


def record_deleted_runs(tx: Transaction, run_pks: Iterable[int]) -> None:
    """Record that these runs will be deleted; to be called before."""
    for run_pk, (dag_pk, run_id) in read_run_names(tx, run_pks).items():
        record_change(tx, RunChange(dag_pk, run_pk, None, run_id))


def write_row(tx: Transaction, at: Instant, *, trims: bool) -> None:
    """Send the statement that writes the row of the transaction; `trims`: delete old rows too."""
    tx.send("change_journal.add", at=at, body=_encoder.encode(tx.change_entries).decode())
    if trims:
        tx.send("change_journal.trim", kept=ROWS_KEPT)


def read_bounds(tx: Transaction) -> tuple[int, int]:
    """The oldest and the newest key; (1, 0) for an empty journal."""
    row = tx.one("change_journal.bounds")
    return (1, 0) if row is None or row[0] is None else (int(row[0]), int(row[1]))


def read_settled_key(tx: Transaction) -> int:
    """The newest key before which none is missing among the newest ones; 0 for an empty journal. What this transaction does not see has a larger key."""
    keys = [key for (key,) in tx.all("change_journal.newest_keys", limit=GAP_SEARCHED_MAX)]
    keys.reverse()
    return next((key for key, following in pairwise(keys) if following != key + 1), keys[-1] if keys else 0)


class JournalExtent(NamedTuple):
    """Two equal extents that were read at different times mean that no row was added between: rows are only added, and deleted from the oldest on."""

    oldest: int
    newest: int
    row_count: int
    """0 on SQLite, where a row never appears before another one."""


def read_extent(tx: Transaction) -> JournalExtent:
    """The extent now."""
    row = tx.one("change_journal.extent")
    assert row is not None
    return JournalExtent(*row)


def is_any_dag_changed(tx: Transaction, before: JournalExtent, now: JournalExtent) -> bool:
    """False when no row that was added since `before` is about a DAG itself; True also when that is not known, because rows were deleted or many added."""
    if before == now:
        return False
    if before.oldest != now.oldest:
        return True
    row = tx.one("change_journal.dag_changes_after", change_pk=before.newest, limit=ROWS_SEARCHED_MAX + 1)
    assert row is not None
    added, changes = int(row[0]), int(row[1])
    is_complete = added <= ROWS_SEARCHED_MAX and (now.row_count == 0 or now.row_count - before.row_count == added)
    return changes > 0 or not is_complete


def read_rows(tx: Transaction, change_pk: int, limit: int) -> list[JournalRow]:
    """The rows after that key, oldest first, at most `limit`."""
    return [
        JournalRow(key, at, _decoder.decode(body))
        for key, at, body in tx.all("change_journal.after", change_pk=change_pk, limit=limit)
    ]


def list_open_writers(tx: Transaction) -> set[str]:
    """The transactions that may have a key which is not visible yet; always empty on SQLite."""
    return {name for (name,) in tx.all("change_journal.open_writers")}


def read_run_names(tx: Transaction, run_pks: Iterable[int]) -> dict[int, tuple[int, str]]:
    """By run_pk: dag_pk and run_id. A run that does not exist is left out."""
    distinct_pks = sorted(set(run_pks))
    return (
        {
            run_pk: (dag_pk, run_id)
            for run_pk, dag_pk, run_id in tx.all("change_journal.run_names", run_pks=distinct_pks)
        }
        if distinct_pks
        else {}
    )


def read_dag_names(tx: Transaction, dag_pks: Iterable[int]) -> dict[int, str]:
    """By dag_pk: dag_id. A DAG that does not exist is left out."""
    distinct_pks = sorted(set(dag_pks))
    return dict(tx.all("change_journal.dag_names", dag_pks=distinct_pks)) if distinct_pks else {}
