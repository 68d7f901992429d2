"""Requests about XComs, answered from the store."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import msgspec

from gnomon import store
from gnomon.model.attempts import utf8_bytes
from gnomon.model.task_api_requests import XCOM_BATCH, GetXComBatch, GetXComCount, GetXComs
from gnomon.store.dag_records import dag_runs
from gnomon.store.dag_records import xcom_values as stored

BATCH_BYTES = 8 * 1024 * 1024
"""An answer to GetXComBatch ends with the value that reaches this size."""
CACHED_CHARS = 4 * 1024 * 1024
"""The elements of longer lists are not kept in memory for the next request."""


def get_xcoms(tx: store.Transaction, request: GetXComs) -> object:
    """A list of {task_id, map_index, value, run_id}; empty when there is no such run."""
    run = dag_runs.find_stored_run(tx, request.dag_id, request.run_id)
    if run is None:
        return []
    indexes = None if request.map_indexes is None else frozenset(request.map_indexes)
    rows = stored.read_xcoms(
        tx, run, request.key, request.task_ids, include_prior=request.include_prior_dates, map_indexes=indexes
    )
    answers: list[dict[str, object]] = [
        {"task_id": row.task_id, "map_index": row.map_index, "value": row.value, "run_id": row.run_id} for row in rows
    ]
    if request.element is not None:
        for answer, row in zip(answers, rows, strict=True):
            _keep_element(answer, row.value, request.element)
    return answers


def _keep_element(answer: dict[str, object], text: str, number: int) -> None:
    """Replace the value by its element; a value that is no list, or that is shorter, stays whole."""
    if not text.startswith("["):
        return
    elements = _split_list(text) if len(text) <= CACHED_CHARS else _split_list.__wrapped__(text)
    if 0 <= number < len(elements):
        answer["value"] = elements[number].decode()
        answer["is_element"] = True


@lru_cache(maxsize=8)
def _split_list(text: str) -> list[bytes]:
    """The elements of a JSON list, each as JSON; none if the text is not JSON to the letter (NaN). Every instance of a mapped task asks for one."""
    try:
        return [bytes(element) for element in msgspec.json.decode(text, type=list[msgspec.Raw])]
    except msgspec.DecodeError:
        return []


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
    return list(_take_bytes(stored.read_batch(tx, run, request.task_id, request.key, request.start, limit)))


def _take_bytes(values: list[str]) -> Iterator[str]:
    size = 0
    for value in values:
        yield value
        size += utf8_bytes(value)
        if size >= BATCH_BYTES:
            return
