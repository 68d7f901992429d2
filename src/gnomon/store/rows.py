"""Between rows and records: the columns of a statement in their order, and the encodings of single columns."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.slots import Cursor, PlannedRun
from gnomon.model.states import (
    NO_STATUS_CODE,
    RUN_STATE_CODES,
    RUN_STATES_BY_CODE,
    TASK_STATE_CODES,
    TASK_STATES_BY_CODE,
    DagRunType,
)
from gnomon.store.transaction import Row

_encoder = msgspec.json.Encoder()
_cursor_decoder = msgspec.json.Decoder(Cursor)
_planned_decoder = msgspec.json.Decoder(PlannedRun)


def run_record(row: Row) -> RunRecord:
    """A run from the columns of `load.run`."""
    (run_pk, dag_pk, run_id, run_type, state, run_after, logical_at, interval_start, interval_end, version_pk, conf,
     queued_at, started_at, ended_at, reason, clear_number, stands_for) = row
    return RunRecord(
        run_pk, dag_pk, run_id, DagRunType(run_type), RUN_STATES_BY_CODE[state], run_after, logical_at, interval_start,
        interval_end, version_pk, json.loads(conf), queued_at, started_at, ended_at, reason, clear_number, stands_for,
    )


def run_change(run: RunRecord) -> Row:
    """The columns of `commit.run`."""
    return (
        run.run_pk, RUN_STATE_CODES[run.state], run.started_at, run.ended_at, run.reason, run.version_pk,
        run.clear_number, run.queued_at, json_text(run.conf),
    )


def task_record(row: Row) -> TaskRecord:
    """A task instance from the columns of `load.tasks`."""
    return TaskRecord(row[0], row[1], row[2], TASK_STATES_BY_CODE.get(row[3]), *row[4:])


def task_change(task: TaskRecord) -> Row:
    """The columns of `commit.task`."""
    state = NO_STATUS_CODE if task.state is None else TASK_STATE_CODES[task.state]
    return (
        task.run_pk, task.task_no, task.map_index, state, task.try_number, task.max_tries, task.seq, task.attempt,
        task.worker, task.defer_seq, task.pool, task.pool_slots, task.priority, task.resume_at, task.started_at,
        task.ended_at, task.reason,
    )


def pack(value: Cursor | PlannedRun | None) -> str | None:
    """A cursor or planned run as the store holds it."""
    return None if value is None else _encoder.encode(value).decode()


def unpack_cursor(text: str | None) -> Cursor | None:
    """The cursor of a DAG."""
    return None if text is None else _cursor_decoder.decode(text)


def unpack_planned(text: str | None) -> PlannedRun | None:
    """The next run of a DAG."""
    return None if text is None else _planned_decoder.decode(text)


def json_text(value: Any) -> str:
    """JSON text of plain data; the NUL character, which PostgreSQL's text cannot hold, stays escaped."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else "{}" if value == {} else json.dumps(value)
