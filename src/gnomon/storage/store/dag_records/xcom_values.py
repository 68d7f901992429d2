"""XComs: values that tasks pass to other tasks, as typed JSON text (`gnomon.model.serde`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord
from gnomon.model.states import TASK_STATES_BY_CODE, TaskInstanceState
from gnomon.storage.store.transaction import Transaction

PRIOR_RUNS_MAX = 1000
"""The number of runs in which `include_prior_dates` looks for a value."""


@dataclass(frozen=True, slots=True)
class StoredXCom:
    """One value."""

    task_id: str
    map_index: int
    key: str
    value: str
    run_id: str


def read_xcoms(
    tx: Transaction,
    run: RunRecord,
    key: str,
    task_ids: Sequence[str] | None = None,
    *,
    include_prior: bool = False,
    map_indexes: Collection[int] | None = None,
) -> list[StoredXCom]:
    """The values under `key`, in the order of `task_ids` (None: of every task, by number) and by map index; `map_indexes` None: all.

    With `include_prior` the values of each task are those of the newest run, this one or an earlier one, that has any.
    """
    run_pks = [run.run_pk]
    if include_prior:
        run_pks = [
            row[0]
            for row in tx.all(
                "xcom_values.runs_until",
                dag_pk=run.dag_pk,
                run_after=run.run_after,
                run_pk=run.run_pk,
                limit=PRIOR_RUNS_MAX,
            )
        ]
    return _read_of_runs(tx, run_pks, key, task_ids, map_indexes)


def read_xcoms_until(
    tx: Transaction,
    dag_id: str,
    at: Instant,
    key: str,
    task_ids: Sequence[str] | None = None,
    *,
    map_indexes: Collection[int] | None = None,
) -> list[StoredXCom]:
    """As `read_xcoms` with `include_prior`, of the runs of a DAG whose logical date, else `run_after`, is at most `at`."""
    run_pks = [row[0] for row in tx.all("xcom_values.runs_until_date", dag_id=dag_id, at=at, limit=PRIOR_RUNS_MAX)]
    return _read_of_runs(tx, run_pks, key, task_ids, map_indexes)


def _read_of_runs(
    tx: Transaction,
    run_pks: Sequence[int],
    key: str,
    task_ids: Sequence[str] | None,
    map_indexes: Collection[int] | None,
) -> list[StoredXCom]:
    if map_indexes is not None and not map_indexes:
        return []
    if task_ids is None:
        xcoms = _read_newest_of_each(tx, run_pks, key)
    else:
        xcoms = [xcom for task_id in task_ids for xcom in _read_newest(tx, run_pks, key, task_id, map_indexes)]
    return xcoms if map_indexes is None else [xcom for xcom in xcoms if xcom.map_index in map_indexes]


def read_batch(tx: Transaction, run: RunRecord, task_id: str, key: str, start: int, limit: int) -> list[str]:
    """The values of one task under `key` in the order of map indexes, at most `limit` from number `start` on."""
    rows = tx.all("xcom_values.batch_of_task", run_pk=run.run_pk, task_id=task_id, key=key, start=start, limit=limit)
    return [row[0] for row in rows]


def read_dense_batch(
    tx: Transaction, run: RunRecord, task_id: str, key: str, start: int, limit: int, total: int
) -> list[str] | None:
    """As `read_batch` of `total` values, at a cost that does not depend on `start`; None unless each index below `total` has a value."""
    rows = tx.all("xcom_values.greatest_index", run_pk=run.run_pk, task_id=task_id, key=key)
    if not rows or rows[0][0] != total - 1:
        return None
    rows = tx.all(
        "xcom_values.of_task_indexes", run_pk=run.run_pk, key=key, task_id=task_id, first=start, last=start + limit - 1
    )
    return [row[2] for row in rows]


@dataclass(frozen=True, slots=True)
class XComOrigin:
    """What distinguishes a value from any later one of the same task: the attempt that stored it."""

    run_pk: int
    task_no: int
    map_index: int
    key: str
    seq: int
    defer_seq: int
    ended_at: int | None
    """None: the task has not ended, and can replace the value."""


def find_origin(tx: Transaction, dag_id: str, run_id: str, task_id: str, key: str) -> XComOrigin | None:
    """The origin of the only value of the task under `key`; None when there is no value, or one for each of several instances."""
    rows = tx.all("xcom_values.origins_of_task", dag_id=dag_id, run_id=run_id, task_id=task_id, key=key, limit=2)
    return XComOrigin(*rows[0]) if len(rows) == 1 else None


def count_values(tx: Transaction, run: RunRecord, task_id: str, key: str) -> int:
    """How many instances of the task have a value under `key`."""
    return int(tx.all("xcom_values.count_of_task", run_pk=run.run_pk, task_id=task_id, key=key)[0][0])


def list_run_xcoms(tx: Transaction, run: RunRecord) -> list[StoredXCom]:
    """All values of a run, by task number, map index and key."""
    return [
        StoredXCom(row[0], row[1], row[2], row[3], run.run_id)
        for row in tx.all("xcom_values.of_run", run_pk=run.run_pk)
    ]


@dataclass(frozen=True, slots=True)
class XComDifference:
    """An XCom that two runs have with different values; a value is None when it is longer than was asked for."""

    task_id: str
    key: str
    before: str | None
    after: str | None


def list_differences(
    tx: Transaction, run: RunRecord, earlier: RunRecord, *, length: int, looked_at: int, limit: int
) -> list[XComDifference]:
    """The XComs without map index, among the first `looked_at` of the run, that have another value in an earlier run of the same DAG."""
    rows = tx.all(
        "xcom_values.differences",
        run_pk=run.run_pk,
        other_pk=earlier.run_pk,
        length=length,
        looked_at=looked_at,
        limit=limit,
    )
    return [XComDifference(*row) for row in rows]


def write_xcom(tx: Transaction, run_pk: int, task_no: int, map_index: int, key: str, value: str) -> None:
    """Insert or replace a value."""
    tx.run("xcom_values.put", run_pk=run_pk, task_no=task_no, map_index=map_index, key=key, value=value)


def remove_xcom(tx: Transaction, run_pk: int, task_no: int, map_index: int, key: str) -> bool:
    """Delete a value; False when there is none."""
    return tx.run("xcom_values.remove", run_pk=run_pk, task_no=task_no, map_index=map_index, key=key) > 0


def lock_task_instance(
    tx: Transaction, run_pk: int, task_no: int, map_index: int
) -> tuple[TaskInstanceState | None, int | None] | None:
    """The state and the `return_length` of a task instance, which its owner cannot change before the end of this transaction.

    None when the instance has no row.
    """
    row = tx.one("xcom_values.lock_finished_task_instance", run_pk=run_pk, task_no=task_no, map_index=map_index)
    return None if row is None else (TASK_STATES_BY_CODE.get(row[0]), row[1])


def _read_newest(
    tx: Transaction, run_pks: Sequence[int], key: str, task_id: str, map_indexes: Collection[int] | None
) -> list[StoredXCom]:
    for run_pk in run_pks:
        if map_indexes is None:
            rows = tx.all("xcom_values.of_task", run_pk=run_pk, key=key, task_id=task_id)
        else:
            rows = tx.all(
                "xcom_values.of_task_indexes",
                run_pk=run_pk,
                key=key,
                task_id=task_id,
                first=min(map_indexes),
                last=max(map_indexes),
            )
        if rows:
            return [StoredXCom(row[0], row[1], key, row[2], row[3]) for row in rows]
    return []


def _read_newest_of_each(tx: Transaction, run_pks: Sequence[int], key: str) -> list[StoredXCom]:
    rows_by_task: dict[str, list[StoredXCom]] = {}
    for run_pk in run_pks:
        here: dict[str, list[StoredXCom]] = {}
        for task_id, map_index, value, run_id in tx.all("xcom_values.of_key", run_pk=run_pk, key=key):
            here.setdefault(task_id, []).append(StoredXCom(task_id, map_index, key, value, run_id))
        rows_by_task = {**here, **rows_by_task}
    return [row for rows in rows_by_task.values() for row in rows]
