"""What can happen to the runs that a scheduler owns."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import DeferralResult
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, PoolRecord, RunRecord, TaskRecord
from gnomon.model.run_waits import RunWait, SlotFact, SubscriptionMessage, UpstreamUpdate


@dataclass(frozen=True, slots=True)
class DagRead:
    """A DAG is new, has a new version, or was paused, unpaused, deactivated."""

    dag: DagRecord


@dataclass(frozen=True, slots=True)
class DagDeleted:
    """A DAG was deleted from the store."""

    dag_pk: int


@dataclass(frozen=True, slots=True)
class RunRead:
    """A run came to this owner: planned, triggered by hand, or read again because somebody acts on it."""

    run: RunRecord
    tasks: tuple[TaskRecord, ...] = ()
    previous_run: tuple[RunRecord, tuple[TaskRecord, ...]] | None = None
    """The run before it, when a task depends on the past and that run is not in memory."""
    run_waits: tuple[RunWait, ...] = ()
    """What it waits for in other DAGs, as far as that was found before."""


@dataclass(frozen=True, slots=True)
class PreviousRunsRead:
    """Ended runs that runs under way look back at: a new version of the DAG begins to depend on the past."""

    dag_pk: int
    runs: list[tuple[RunRecord, list[TaskRecord]]]


@dataclass(frozen=True, slots=True)
class DeferralEnded:
    """A triggerer says how a wait ended; counts once, for the deferral that it names."""

    key: TaskKey
    defer_seq: int
    result: DeferralResult


@dataclass(frozen=True, slots=True)
class SlotsResolved:
    """Which upstream slots a run waits for by one of its edges; an answer to `Step.unresolved`."""

    run_pk: int
    edge_no: int
    rule: str
    facts: tuple[SlotFact, ...] = ()
    """The slots. Of an upstream of this owner: with what the store knows; of any other: open. Empty: nothing to wait for."""
    absent: tuple[SlotFact, ...] = ()
    """Slots that the upstream passed without a run, where the edge does not wait for them."""
    version: int = 0
    """The upstream's version (version_pk) that they were found from."""
    unknown: bool = False
    """There is no such DAG: the edge is found when there is one."""
    error: str | None = None
    """The slots cannot be told (an author's timetable failed); the run waits, and it is asked again later."""


@dataclass(frozen=True, slots=True)
class SubscriptionRequested:
    """A run, of whichever owner, waits for slots of a DAG of this owner."""

    subscription: SubscriptionMessage
    facts: tuple[SlotFact, ...]
    """What the store knows of the slots: of those without an unfinished run in memory this is the last word."""


@dataclass(frozen=True, slots=True)
class UpstreamUpdatesReceived:
    """News of upstream slots for runs of this owner."""

    updates: tuple[UpstreamUpdate, ...]


@dataclass(frozen=True, slots=True)
class CursorMoved:
    """Planning has decided on all slots of a DAG up to `upto`; those that have no run are absent."""

    dag_pk: int
    before: Instant | None
    upto: Instant
    facts: tuple[SlotFact, ...] = ()
    """What the store knows of the slots in between that somebody waits for (`Memory.asked`)."""


@dataclass(frozen=True, slots=True)
class ReleaseRun:
    """Let the run wait no longer: for one upstream DAG, or for any (`up_dag` None)."""

    run_pk: int
    up_dag: str | None
    by: str
    reason: str | None = None
    request_pk: int | None = None


@dataclass(frozen=True, slots=True)
class PoolsRead:
    pools: tuple[PoolRecord, ...]


@dataclass(frozen=True, slots=True)
class WorkerJoined:
    worker_id: str
    slots: int


@dataclass(frozen=True, slots=True)
class WorkerDisconnected:
    """No connection: nothing new goes there; what is there may still run."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class WorkerLost:
    """Its beats stopped for longer than the time to live: everything on it is lost."""

    worker_id: str


@dataclass(frozen=True, slots=True)
class AuthorCodeEntered:
    attempt_id: str
    at: Instant


@dataclass(frozen=True, slots=True)
class ResultReceived:
    """A result; `worker_id` is who keeps it until it is acknowledged."""

    result: AttemptResult
    worker_id: str | None = None


@dataclass(frozen=True, slots=True)
class InventoryRead:
    """What a worker holds: attempt id to whether it entered author code. Its results come as Ended events."""

    worker_id: str
    running: dict[str, bool]
    results: frozenset[str] = frozenset()
    groups: tuple[int, ...] = ()
    """The groups that it was asked for; it says nothing of others."""


@dataclass(frozen=True, slots=True)
class ClearTasks:
    """Run these again; `tasks` None: all of the run."""

    run_pk: int
    tasks: tuple[TaskKey, ...] | None
    by: str
    only_failed: bool = False
    request_pk: int | None = None
    waited_for: tuple[SubscriptionMessage, ...] = ()
    """Who waits for this run, or has been told how it ended, and has not started."""


@dataclass(frozen=True, slots=True)
class MarkTasks:
    """Set these to a final state: success, failed or skipped."""

    run_pk: int
    tasks: tuple[TaskKey, ...]
    state: str
    by: str
    request_pk: int | None = None


@dataclass(frozen=True, slots=True)
class MarkRun:
    """End the run as success or failed."""

    run_pk: int
    state: str
    by: str
    request_pk: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteRun:
    """Forget the run: its rows are about to be deleted by the owner."""

    run_pk: int
    by: str
    request_pk: int | None = None


@dataclass(frozen=True, slots=True)
class DeleteDag:
    """Forget the DAG and its runs: its rows are about to be deleted by the owner."""

    dag_pk: int
    by: str
    request_pk: int | None = None


@dataclass(frozen=True, slots=True)
class RejectRequest:
    """A request that cannot be done; the answer says why."""

    request_pk: int
    reason: str


EngineEvent = (
    DagRead | DagDeleted | RunRead | PreviousRunsRead | DeferralEnded | PoolsRead | WorkerJoined | WorkerDisconnected | WorkerLost | AuthorCodeEntered | ResultReceived
    | InventoryRead | ClearTasks | MarkTasks | MarkRun | DeleteRun | DeleteDag | RejectRequest | SlotsResolved | SubscriptionRequested | UpstreamUpdatesReceived
    | CursorMoved | ReleaseRun
)
