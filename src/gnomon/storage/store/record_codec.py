"""Converts between rows and records: the columns of a statement in order, and the encodings of single columns."""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import Callable
from typing import Any

import msgspec

from gnomon.model.attempts import InstanceOverrides
from gnomon.model.deferral import EMPTY_KWARGS, Deferral
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.spec import DagSpec
from gnomon.model.states import (
    NO_STATUS_CODE,
    RUN_STATE_CODES,
    RUN_STATES_BY_CODE,
    TASK_STATE_CODES,
    TASK_STATES_BY_CODE,
    DagRunType,
    TaskInstanceState,
)
from gnomon.storage.store.transaction import Row, Transaction

_json_encoder = msgspec.json.Encoder()
_lengths_decoder = msgspec.json.Decoder(tuple[tuple[int, ...], ...])
_overrides_decoder = msgspec.json.Decoder(InstanceOverrides)
_cursor_decoder = msgspec.json.Decoder(Cursor)
_planned_decoder = msgspec.json.Decoder(PlannedRun)


def decode_run(row: Row) -> RunRecord:
    """A run from the columns of `group_state.run`."""
    (
        run_pk,
        dag_pk,
        run_id,
        run_type,
        state,
        run_after,
        logical_at,
        interval_start,
        interval_end,
        version_pk,
        conf,
        queued_at,
        started_at,
        ended_at,
        reason,
        clear_number,
        stands_for,
        partition_key,
        partition_date,
        backfill_pk,
        bundle_version,
    ) = row
    return RunRecord(
        run_pk,
        dag_pk,
        run_id,
        DagRunType(run_type),
        RUN_STATES_BY_CODE[state],
        run_after,
        logical_at,
        interval_start,
        interval_end,
        version_pk,
        {} if conf == "{}" else json.loads(conf),
        queued_at,
        started_at,
        ended_at,
        reason,
        clear_number,
        stands_for,
        partition_key,
        partition_date,
        backfill_pk,
        bundle_version,
    )


def encode_run_change(run: RunRecord) -> Row:
    """The columns of `commit.runs`."""
    return (
        run.run_pk,
        RUN_STATE_CODES[run.state],
        run.started_at,
        run.ended_at,
        run.reason,
        run.version_pk,
        run.clear_number,
        run.queued_at,
        encode_json(run.conf),
        run.bundle_version,
    )


def decode_task(row: Row) -> TaskRecord:
    """A task instance from the columns of `group_state.task_instances`."""
    lengths = None if row[19] is None else _lengths_decoder.decode(row[19])
    overrides = None if row[20] is None else _overrides_decoder.decode(row[20])
    return TaskRecord(row[0], row[1], row[2], TASK_STATES_BY_CODE.get(row[3]), *(*row[4:19], lengths, overrides))


def encode_task_change(task: TaskRecord) -> Row:
    """The columns of `commit.task_instances`."""
    return (
        task.run_pk,
        task.task_no,
        task.map_index,
        encode_task_state(task.state),
        task.try_number,
        task.max_tries,
        task.seq,
        task.attempt,
        task.worker,
        task.defer_seq,
        task.pool,
        task.pool_slots,
        task.priority,
        task.resume_at,
        task.started_at,
        task.ended_at,
        task.reason,
        task.return_length,
        task.rendered_map_index,
        None if task.factor_lengths is None else _json_encoder.encode(task.factor_lengths).decode(),
        None if task.overrides is None else encode_json(msgspec.to_builtins(task.overrides)),
    )


def encode_task_state(state: TaskInstanceState | None) -> int:
    """The code of the state, as the tables hold it."""
    return NO_STATUS_CODE if state is None else TASK_STATE_CODES[state]


def encode_plan_state(value: Cursor | PlannedRun | None) -> str | None:
    """JSON of a cursor or a planned run, as the table `dag` holds it."""
    return None if value is None else _json_encoder.encode(value).decode()


def decode_cursor(text: str | None) -> Cursor | None:
    """The inverse of `encode_plan_state` for `dag.cursor`."""
    return None if text is None else _cursor_decoder.decode(text)


def decode_planned_run(text: str | None) -> PlannedRun | None:
    """The inverse of `encode_plan_state` for `dag.next_body`."""
    return None if text is None else _planned_decoder.decode(text)


def encode_json(value: Any) -> str:
    """JSON text of plain data; the NUL character, which PostgreSQL's text cannot hold, stays escaped."""
    return (
        json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        if value
        else "{}"
        if value == {}
        else json.dumps(value)
    )


_COMPRESSION = 1
"""The level of zlib. Specs are written often; the fastest level keeps most of the gain."""
_spec_encoder = msgspec.json.Encoder()
_spec_decoder = msgspec.json.Decoder(DagSpec)
_parts_decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])


def encode_spec(tx: Transaction, spec: DagSpec) -> bytes:
    """A spec as the table `dag_version` holds it; the arguments of start triggers and of watchers are encrypted."""
    encrypted = _map_arguments(spec, lambda text: tx.cipher.encrypt(text))  # noqa: PLW0108 - most specs need no key
    return zlib.compress(_spec_encoder.encode(encrypted), _COMPRESSION)


def decode_spec(tx: Transaction, packed: bytes) -> DagSpec:
    """The inverse of `encode_spec`; from memory if the process keeps specs. Raises WrongKey."""
    cached = None if tx.specs is None else tx.specs.find(packed)
    if cached is not None:
        return cached
    encrypted = _spec_decoder.decode(zlib.decompress(packed))
    if tx.specs is not None and not _has_arguments(encrypted):  # what was encrypted does not stay in memory
        tx.specs.keep(packed, encrypted)
    return _map_arguments(encrypted, lambda text: tx.cipher.decrypt(text))  # noqa: PLW0108 - most specs need no key


@functools.lru_cache(maxsize=256)  # an edge is resolved by the spec of its upstream DAG, for each run anew
def decode_spec_without_tasks(packed: bytes) -> DagSpec:
    """The spec without its tasks and watchers, which takes little time for a DAG of any width."""
    parts = _parts_decoder.decode(zlib.decompress(packed))
    parts.pop("tasks", None)
    parts.pop("asset_watchers", None)
    return _spec_decoder.decode(_spec_encoder.encode(parts))


def is_same_spec(tx: Transaction, packed: bytes, spec: DagSpec) -> bool:
    """Whether `packed` holds this spec."""
    if _has_arguments(spec):
        return _spec_encoder.encode(decode_spec(tx, packed)) == _spec_encoder.encode(
            spec
        )  # encrypting a text twice gives different results
    return zlib.decompress(packed) == _spec_encoder.encode(spec)


def _has_arguments(spec: DagSpec) -> bool:
    return bool(spec.asset_watchers) or any(task.start_wait is not None for task in spec.tasks)


def _map_arguments(spec: DagSpec, change: Callable[[str], str]) -> DagSpec:
    """The spec with the arguments of its start triggers and watchers changed; without any, the key is not needed."""
    if not _has_arguments(spec):
        return spec
    tasks = (
        task
        if task.start_wait is None
        else msgspec.structs.replace(task, start_wait=_map_kwargs(task.start_wait, change))
        for task in spec.tasks
    )
    watchers = (msgspec.structs.replace(watcher, kwargs=change(watcher.kwargs)) for watcher in spec.asset_watchers)
    return msgspec.structs.replace(spec, tasks=tuple(tasks), asset_watchers=tuple(watchers))


def _map_kwargs(wait: Deferral, change: Callable[[str], str]) -> Deferral:
    kwargs, next_kwargs = (text if text == EMPTY_KWARGS else change(text) for text in (wait.kwargs, wait.next_kwargs))
    return msgspec.structs.replace(wait, kwargs=kwargs, next_kwargs=next_kwargs)
