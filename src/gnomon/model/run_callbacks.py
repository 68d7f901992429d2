"""Callbacks of a DAG run: those of its end, listeners, callbacks of missed deadlines; and the deadlines.

`CallbackRequest` says what a process on a worker calls (`Attempt.callback`), `CallbackRecord` is the row of the store,
`DeadlineSpec` is one deadline of a DAG, and `DeadlineRecord` that deadline of one run.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant


class CallbackKind(StrEnum):
    """What a callback process calls."""

    RUN_STARTED = "run_started"
    """Listeners: the run is running."""
    RUN_SUCCEEDED = "run_succeeded"
    """`on_success_callback` of the DAG, and listeners."""
    RUN_FAILED = "run_failed"
    """`on_failure_callback` of the DAG, and listeners."""
    TASK_ENDED = "task_ended"
    """`on_failure_callback` or `on_retry_callback` of a task whose process ended before it could call them, its mail, and listeners."""
    DEADLINE_MISSED = "deadline_missed"
    """The callback of a deadline."""
    DEADLINE_REFERENCE = "deadline_reference"
    """The author's code that computes when a deadline is due; its result is not kept as a callback of the run."""


class CallbackState(StrEnum):
    """The states of a callback, as in Airflow; `queued` until a process on a worker has entered author code."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCESS = "success"
    FAILED = "failed"


CALLBACK_TASK_NO = -1
"""The task number in the results of callbacks."""


class DeadlineState(StrEnum):
    """The states of one deadline of one run."""

    UNRESOLVED = "unresolved"
    """Its instant is not known yet."""
    PENDING = "pending"
    MISSED = "missed"
    NONE = "none"
    """It has no instant: its reference gave none, or failed."""


class CallbackRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the process of a callback calls, and with which context."""

    kind: str
    """A CallbackKind."""
    reason: str = ""
    """`reason` of the context: success, task_failure, timed_out, ..."""
    calls_dag: bool = False
    """False: only listeners are called; a user marked the run."""
    task_id: str | None = None
    """The task instance of the context: the last that succeeded or failed; None: there is none."""
    map_index: int = UNMAPPED
    try_number: int = 0
    max_tries: int = 0
    task_state: str | None = None
    task_started_at: Instant | None = None
    task_ended_at: Instant | None = None
    run_state: str = "running"
    """The state of the run at the moment of the request, as the context shows it."""
    run_started_at: Instant | None = None
    run_ended_at: Instant | None = None
    deadline_no: int | None = None
    deadline_at: Instant | None = None
    executor: str | None = None
    """The executor of the task, or that the callback names; None: the default."""


@dataclass(slots=True)
class CallbackRecord:
    """The row of one callback. It is unfinished until a worker has reported its end."""

    callback_id: str
    run_pk: int
    dag_pk: int
    request: CallbackRequest
    created_at: Instant
    state: CallbackState = CallbackState.QUEUED
    tries: int = 0
    """Processes that have entered author code."""
    attempt: str | None = None
    worker: str | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    reason: str | None = None
    log: str | None = None


class DeadlineSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One deadline of a DAG: an instant plus a span, for each run."""

    reference: str
    """logical_date | queued_at | fixed | average_runtime | author (a process of the author computes the whole instant)."""
    interval_s: float = 0.0
    name: str | None = None
    at: Instant | None = None
    """For `fixed`."""
    max_runs: int = 0
    """For `average_runtime`: how many ended runs count at most."""
    min_runs: int = 1
    """For `average_runtime`: with fewer ended runs there is no deadline."""
    callback: str = ""
    """The path of the callback, for listings."""
    executor: str | None = None
    """`SyncCallback(executor=...)`; None: the default."""


@dataclass(slots=True)
class DeadlineRecord:
    """One deadline of one run."""

    run_pk: int
    deadline_no: int
    """Its position in `DAG(deadline=...)`."""
    state: DeadlineState
    due_at: Instant | None = None
    name: str | None = None
    missed_at: Instant | None = None
