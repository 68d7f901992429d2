"""Pending callbacks of runs, and deadlines of runs: `run_callback` and `run_deadline`."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from gnomon.model.instants import SECOND
from gnomon.model.records import Changes, RunRecord
from gnomon.model.run_callbacks import CallbackRecord, CallbackRequest, CallbackState, DeadlineRecord, DeadlineState
from gnomon.storage.store.record_codec import decode_run
from gnomon.storage.store.transaction import KEYS_PER_STATEMENT, Row, Transaction

_request_decoder = msgspec.json.Decoder(CallbackRequest)


def write_changes(tx: Transaction, changes: Changes) -> None:
    """Write the callbacks and deadlines of these changes. Those of a run that was deleted meanwhile are left out."""
    tx.send_many("run_callbacks.remove", [(callback_id,) for callback_id in changes.callbacks_deleted])
    tx.send_many("run_callbacks.put", [_encode_callback(record) for record in changes.callbacks.values()])
    tx.send_many("run_callbacks.prune_deadlines", [(run_pk,) for run_pk in changes.deadlines_deleted])
    tx.send_many("run_callbacks.put_deadlines", [_encode_deadline(deadline) for deadline in changes.deadlines.values()])


def list_rows_of_groups(tx: Transaction, groups: Iterable[int]) -> list[Row]:
    """The rows, for `decode_callback`, of the unfinished callbacks of the DAGs of these groups, oldest first."""
    return tx.all("run_callbacks.unfinished_of_groups", groups=list(groups))


def attach_runs(tx: Transaction, callbacks: Iterable[CallbackRecord]) -> list[tuple[CallbackRecord, RunRecord]]:
    """Each of these callbacks with its run; that of a deleted run is left out."""
    attached = []
    for callback in callbacks:
        run = tx.one("group_state.run", run_pk=callback.run_pk)
        if run is not None:
            attached.append((callback, decode_run(run)))
    return attached


def list_callbacks(tx: Transaction, run_pk: int) -> list[CallbackRecord]:
    """The callbacks of the run, oldest first."""
    return [decode_callback(row) for row in tx.all("run_callbacks.of_run", run_pk=run_pk)]


def load_deadlines(tx: Transaction, run_pks: Iterable[int]) -> dict[int, list[DeadlineRecord]]:
    """The deadlines of these runs, by run; a run without deadlines is left out."""
    deadlines: dict[int, list[DeadlineRecord]] = {}
    ordered = list(run_pks)
    for start in range(0, len(ordered), KEYS_PER_STATEMENT):
        for row in tx.all("run_callbacks.deadlines_of_runs", run_pks=ordered[start : start + KEYS_PER_STATEMENT]):
            deadlines.setdefault(row[0], []).append(DeadlineRecord(row[0], row[1], DeadlineState(row[2]), *row[3:]))
    return deadlines


def compute_average_runtime(tx: Transaction, dag_pk: int, max_runs: int, min_runs: int) -> float | None:
    """The average duration of the newest ended runs of the DAG, in seconds; None when fewer than `min_runs` have ended."""
    durations: list[int] = [row[0] for row in tx.all("run_callbacks.durations", dag_pk=dag_pk, limit=max_runs)]
    if not durations or len(durations) < min_runs:
        return None
    return sum(durations) / len(durations) / SECOND


def _encode_callback(c: CallbackRecord) -> Row:
    request = msgspec.json.encode(c.request).decode()
    return (
        c.callback_id,
        c.run_pk,
        c.dag_pk,
        request,
        c.created_at,
        c.state.value,
        c.tries,
        c.attempt,
        c.worker,
        c.started_at,
        c.ended_at,
        c.reason,
        c.log,
    )


def decode_callback(row: Row) -> CallbackRecord:
    callback_id, run_pk, dag_pk, request, created_at, state, *rest = row
    return CallbackRecord(
        callback_id, run_pk, dag_pk, _request_decoder.decode(request), created_at, CallbackState(state), *rest
    )


def _encode_deadline(d: DeadlineRecord) -> Row:
    return (d.run_pk, d.deadline_no, d.state.value, d.due_at, d.name, d.missed_at)
