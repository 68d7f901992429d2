"""Requests about XComs, answered from the store."""

from __future__ import annotations

from collections.abc import Iterator

from gnomon.model.attempts import utf8_bytes
from gnomon.model.task_api_requests import XCOM_BATCH, GetXComBatch, GetXComCount, GetXComs
from gnomon.storage import store
from gnomon.storage.store.dag_records import dag_runs
from gnomon.storage.store.dag_records import xcom_values as stored

BATCH_BYTES = 8 * 1024 * 1024
"""An answer to GetXComBatch ends with the value that reaches this size."""


def get_xcoms(tx: store.Transaction, request: GetXComs, own_dag_id: str | None = None) -> object:
    """A list of {task_id, map_index, value, run_id}; empty when there is no such run.

    `own_dag_id`: the DAG of the task that asks. With `include_prior_dates` a run id that only this DAG has gives the date up to which runs of the
    other DAG count.
    """
    run = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    indexes = None if request.map_indexes is None else frozenset(request.map_indexes)
    if run is not None:
        rows = stored.read_xcoms(
            tx, run, request.key, request.task_ids, include_prior=request.include_prior_dates, map_indexes=indexes
        )
    else:
        own = (
            dag_runs.find_stored_run(tx, own_dag_id, request.run_id)
            if own_dag_id is not None and request.include_prior_dates
            else None
        )
        if own is None:
            return []
        date = own.run_after if own.logical_at is None else own.logical_at
        rows = stored.read_xcoms_until(tx, request.dag_id, date, request.key, request.task_ids, map_indexes=indexes)
    return [
        {"task_id": row.task_id, "map_index": row.map_index, "value": row.value, "run_id": row.run_id} for row in rows
    ]


def count_xcoms(tx: store.Transaction, request: GetXComCount) -> object:
    """The number of values; 0 when there is no such run."""
    run = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    return 0 if run is None else stored.count_values(tx, run, request.task_id, request.key)


def get_xcom_batch(tx: store.Transaction, request: GetXComBatch) -> object:
    """A list of values (JSON text); empty when there is no such run."""
    run = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    if run is None or request.start < 0:
        return []
    limit = max(0, min(request.limit, XCOM_BATCH))
    values = None
    if request.total is not None:
        values = stored.read_dense_batch(tx, run, request.task_id, request.key, request.start, limit, request.total)
    if values is None:
        values = stored.read_batch(tx, run, request.task_id, request.key, request.start, limit)
    return list(_take_bytes(values))


def _take_bytes(values: list[str]) -> Iterator[str]:
    size = 0
    for value in values:
        yield value
        size += utf8_bytes(value)
        if size >= BATCH_BYTES:
            return
