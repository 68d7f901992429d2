"""The events that a step of the engine applies, and `EngineEvent`, their union."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from gnomon.model.attempts import AttemptResult
from gnomon.model.backfills import BackfillRecord
from gnomon.model.deferral import DeferralResult
from gnomon.model.hitl import HITLRespondent
from gnomon.model.ids import TaskKey
from gnomon.model.instance_mutation import MutationAnswer, MutationQuestion
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, PoolRecord, QueueDiscard, RaisedPriority, RunRecord, TaskRecord
from gnomon.model.run_callbacks import DeadlineRecord
from gnomon.model.run_waits import RunWait, SlotFact, SubscriptionMessage, UpstreamUpdate


@dataclass(frozen=True, slots=True)
class DagRead:
    """A DAG is new, has a new version, or was paused, unpaused or deactivated."""

    dag: DagRecord


@dataclass(frozen=True, slots=True)
class DagDeleted:
    """A DAG was deleted from the store."""

    dag_pk: int


@dataclass(frozen=True, slots=True)
class RunRead:
    """A run for this owner: planned, triggered by a user or a task, or read again because a request names it."""

    run: RunRecord
    tasks: tuple[TaskRecord, ...] = ()
    previous_run: tuple[RunRecord, tuple[TaskRecord, ...]] | None = None
    """The previous run, when a task depends on the past and that run is not in memory."""
    run_waits: tuple[RunWait, ...] = ()
    """The waits for other DAGs that are stored for it."""
    deadlines: tuple[DeadlineRecord, ...] = ()
    """The deadlines that are stored for it."""


@dataclass(frozen=True, slots=True)
class DeadlineResolved:
    """The average duration of the ended runs of the DAG: the answer to `StepResult.unresolved_deadlines`."""

    run_pk: int
    deadline_no: int
    average_s: float | None
    """None: too few runs have ended."""


@dataclass(frozen=True, slots=True)
class PreviousRunsRead:
    """Ended runs that unfinished runs depend on: tasks of a new version of the DAG depend on the past."""

    dag_pk: int
    runs: list[tuple[RunRecord, list[TaskRecord]]]


@dataclass(frozen=True, slots=True)
class DeferralEnded:
    """A triggerer reports how a deferral ended; applied once, to the deferral with this `defer_seq`."""

    key: TaskKey
    defer_seq: int
    result: DeferralResult


@dataclass(frozen=True, slots=True)
class SlotsResolved:
    """The upstream slots of one edge of a run: the answer to `StepResult.unresolved_edges`."""

    run_pk: int
    edge_no: int
    rule: str
    facts: tuple[SlotFact, ...] = ()
    """The slots. If this owner has the upstream DAG: their outcomes in the store; else all open. Empty: nothing to wait for."""
    absent: tuple[SlotFact, ...] = ()
    """Slots that the upstream DAG skipped without a run, if the edge does not wait for such slots."""
    version: int = 0
    """The version (version_pk) of the upstream DAG that the slots were computed from."""
    unknown: bool = False
    """The upstream DAG does not exist; the edge is resolved again when it does."""
    error: str | None = None
    """Why the slots cannot be computed now (an author's timetable failed); the run waits, and the edge is resolved again later."""


@dataclass(frozen=True, slots=True)
class SubscriptionRequested:
    """A run, of this or another owner, waits for slots of a DAG of this owner."""

    subscription: SubscriptionMessage
    facts: tuple[SlotFact, ...]
    """The outcomes of the slots in the store; a slot with a run in memory has the outcome of that run instead."""


@dataclass(frozen=True, slots=True)
class UpstreamUpdatesReceived:
    """Updates of upstream slots for runs of this owner."""

    updates: tuple[UpstreamUpdate, ...]


@dataclass(frozen=True, slots=True)
class AssetEventsQueued:
    """Asset events were put into the queues of these DAGs; the scheduler looks whether runs are to be created."""

    dag_pks: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CursorMoved:
    """Planning has decided on all slots of a DAG after `before` and up to `upto`; slots without a run are absent."""

    dag_pk: int
    before: Instant | None
    upto: Instant
    facts: tuple[SlotFact, ...] = ()
    """The outcomes in the store of those slots that have subscriptions (`EngineState.subscriptions`)."""


@dataclass(frozen=True, slots=True)
class ReleaseRun:
    """A request to end the waits of a run: for one upstream DAG, or for all (`up_dag` None)."""

    run_pk: int
    up_dag: str | None
    by: str
    reason: str | None = None
    request_pk: int | None = None
    address: str | None = None
    """From where the user asks, for the audit log."""


@dataclass(frozen=True, slots=True)
class InstancesMutated:
    """The answers to a question of `StepResult.mutation_questions`, in the order of its instances."""

    question: MutationQuestion
    """The question, or what is left of it after earlier answers."""
    answers: tuple[MutationAnswer, ...]
    """May be fewer than the instances: the answers for the others come later."""


@dataclass(frozen=True, slots=True)
class PrioritiesRaised:
    """The tasks of a DAG whose priority baselines have raised; it replaces what was raised of the DAG before."""

    dag_id: str
    raised: Mapping[tuple[str, str], RaisedPriority]
    """By run id and task id."""


@dataclass(frozen=True, slots=True)
class PoolsRead:
    """All pools, as the store has them."""

    pools: tuple[PoolRecord, ...]


@dataclass(frozen=True, slots=True)
class WorkerJoined:
    """A worker is reachable, with that many slots."""

    worker_id: str
    slots: int


@dataclass(frozen=True, slots=True)
class WorkerDisconnected:
    """The connection to the worker is lost: it gets no new attempts, and its attempts may still run."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """The heartbeats of the worker stopped for longer than its time to live: its attempts are lost."""

    worker_id: str


class AuthorCodeEntered(msgspec.Struct, frozen=True):
    """The process of the attempt has entered author code."""

    attempt_id: str
    at: Instant


class ResultReceived(msgspec.Struct, frozen=True):
    """The result of an attempt. `worker_id`: the worker that keeps it until it is acknowledged; None: it came by mail.

    `sender`: of a result that came by mail, the worker that ran the attempt.
    """

    result: AttemptResult
    worker_id: str | None = None
    sender: str | None = None


@dataclass(frozen=True, slots=True)
class InventoryRead:
    """The inventory of a worker: attempt id to whether it entered author code. Results come as `ResultReceived`."""

    worker_id: str
    running: dict[str, bool]
    results: frozenset[str] = frozenset()
    """Attempt ids of results that the worker keeps until they are acknowledged."""
    groups: tuple[int, ...] = ()
    """The groups that the inventory covers."""


@dataclass(frozen=True, slots=True)
class ClearTasks:
    """A request to clear task instances of a run; `tasks` None: all of them."""

    run_pk: int
    tasks: tuple[TaskKey, ...] | None
    by: str
    only_failed: bool = False
    request_pk: int | None = None
    waited_for: tuple[SubscriptionMessage, ...] = ()
    """Subscriptions of runs that have not started and that wait for this run, or were notified of its end."""
    address: str | None = None
    """From where the user asks, for the audit log."""
    is_newest_wanted: bool | None = None
    """Whether a run with a bundle version takes the newest one; None: its DAG says so, and an unfinished run keeps it."""


@dataclass(frozen=True, slots=True)
class MarkTasks:
    """A request to set task instances to a final state: success, failed or skipped."""

    run_pk: int
    tasks: tuple[TaskKey, ...]
    state: str
    by: str
    request_pk: int | None = None
    address: str | None = None
    """From where the user asks, for the audit log."""
    waited_for: tuple[SubscriptionMessage, ...] = ()
    """As for ClearTasks."""


@dataclass(frozen=True, slots=True)
class HITLAnswered:
    """A request to answer the question of a task instance that waits for a person."""

    key: TaskKey
    chosen_options: tuple[str, ...]
    params_input: dict[str, object]
    respondent: HITLRespondent
    request_pk: int
    by: str | None = None
    """The user who sent the answer; None: the respondent."""
    address: str | None = None
    """From where the user asks, for the audit log."""


@dataclass(frozen=True, slots=True)
class MarkRun:
    """A request to end the run as success or failed."""

    run_pk: int
    state: str
    by: str
    request_pk: int | None = None
    address: str | None = None
    """From where the user asks, for the audit log."""


@dataclass(frozen=True, slots=True)
class DeleteRun:
    """A request to delete the run and its rows."""

    run_pk: int
    by: str
    request_pk: int | None = None
    address: str | None = None
    """From where the user asks, for the audit log."""


@dataclass(frozen=True, slots=True)
class DeleteDag:
    """A request to delete the DAG, its runs and their rows."""

    dag_pk: int
    by: str
    request_pk: int | None = None
    address: str | None = None
    """From where the user asks, for the audit log."""


@dataclass(frozen=True, slots=True)
class DiscardQueuedEvents:
    """A request to delete events of assets from the queue of a consumer DAG."""

    discard: QueueDiscard
    by: str
    request_pk: int
    address: str | None = None
    """From where the user asks, for the audit log."""


@dataclass(frozen=True, slots=True)
class RejectRequest:
    """A request that cannot be carried out; its answer gives the reason."""

    request_pk: int
    reason: str


@dataclass(frozen=True, slots=True)
class BackfillRead:
    """A backfill is new, was paused, continued or cancelled, or its owner has come further with it."""

    backfill: BackfillRecord
    is_for_run: bool = False
    """A run of it follows, so it is kept in memory even if it has ended."""


@dataclass(frozen=True, slots=True)
class ReprocessRun:
    """It is the turn of a finished run, which a backfill runs again."""

    run_pk: int
    backfill_pk: int
    waited_for: tuple[SubscriptionMessage, ...] = ()
    """As for ClearTasks."""


@dataclass(slots=True, frozen=True)
class FollowedRunEnded:
    """All tasks of a run that a `Follower` follows have succeeded. `attempts`: their number."""

    run_pk: int
    attempts: int


@dataclass(slots=True, frozen=True)
class FollowedTaskEnded:
    """A task of a run that a `Follower` follows has succeeded, and other DAGs may wait for it."""

    run_pk: int
    task_id: str


EngineEvent = (
    DagRead
    | DagDeleted
    | RunRead
    | PreviousRunsRead
    | DeferralEnded
    | PoolsRead
    | PrioritiesRaised
    | WorkerJoined
    | WorkerDisconnected
    | WorkerLost
    | AuthorCodeEntered
    | ResultReceived
    | FollowedRunEnded
    | FollowedTaskEnded
    | InventoryRead
    | ClearTasks
    | MarkTasks
    | MarkRun
    | DeleteRun
    | DeleteDag
    | RejectRequest
    | HITLAnswered
    | SlotsResolved
    | SubscriptionRequested
    | UpstreamUpdatesReceived
    | CursorMoved
    | InstancesMutated
    | ReleaseRun
    | AssetEventsQueued
    | DiscardQueuedEvents
    | BackfillRead
    | ReprocessRun
    | DeadlineResolved
)
