"""The rows of the store: records that a load returns, and `Changes` that one step of the engine makes.

Instants are integers (`model.instants`). The engine fills a `Changes`; the store commits it in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from gnomon.model.alerts import AlertEvent
from gnomon.model.assets import NewAssetEvent
from gnomon.model.attempts import AttemptResult, InstanceOverrides
from gnomon.model.backfills import BackfillRecord
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.hitl import HITLRequest, HITLResponse
from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instants import Instant
from gnomon.model.quarantine import QuarantinedItem
from gnomon.model.run_callbacks import CallbackRecord, DeadlineRecord
from gnomon.model.run_waits import RunWait, SlotFact, SubscriptionMessage
from gnomon.model.slots import Cursor, PlannedRun, SkippedSlots
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState


@dataclass(slots=True)
class DagRecord:
    """One DAG with its newest version, as its owner loads it."""

    dag_pk: int
    dag_id: str
    group_no: int
    paused: bool
    active: bool
    plan_seq: int
    cursor: Cursor | None
    next_run: PlannedRun | None
    fingerprint: str | None
    version_pk: int
    spec: DagSpec
    task_numbers: dict[str, int]
    """Task id to the number of the task in this DAG; numbers are never reused."""
    file: str
    input_hash: str
    fresh: str | None = None
    error: str | None = None
    has_volatile_import: bool = False
    """The file read more than files at import, so an imported copy becomes outdated."""
    dependency_error: str | None = None
    """Why its dependencies on other DAGs can never be met; no run is planned while this is set."""
    live_at: Instant | None = None
    """Since when the DAG has been unpaused and defined by a file, with this schedule. `catchup` decides about older slots."""
    bundle_name: str | None = None
    """The DAG bundle of its file; None: the DAG folder, or the examples."""
    bundle_version: str | None = None
    """The version of the bundle that this version of the DAG is of; None: the bundle has no versions."""


@dataclass(slots=True)
class RunRecord:
    """One DAG run."""

    run_pk: int
    dag_pk: int
    run_id: str
    run_type: DagRunType
    state: DagRunState
    run_after: Instant
    logical_at: Instant | None
    interval_start: Instant | None
    interval_end: Instant | None
    version_pk: int | None
    conf: dict[str, object]
    queued_at: Instant
    started_at: Instant | None = None
    ended_at: Instant | None = None
    reason: str | None = None
    clear_number: int = 0
    stands_for: Instant | None = None
    """For a manual run that occupies a planned slot: the planned time of that slot."""
    partition_key: str | None = None
    partition_date: Instant | None = None
    backfill_pk: int | None = None
    """The backfill that created the run, or has it run again."""
    bundle_version: str | None = None
    """The version of the DAG bundle that its tasks run, set when it first starts; None: that of the present files."""
    kept_spec: DagSpec | None = None
    """For a run that keeps an older version of its DAG: that version."""

    @property
    def keeps_version(self) -> bool:
        """Whether a new version of the DAG leaves the run as it is."""
        return self.bundle_version is not None and self.state in (DagRunState.QUEUED, DagRunState.RUNNING)

    @property
    def slot_at(self) -> Instant | None:
        """The planned time of the run's slot; None for a run without a slot."""
        return self.run_after if self.run_type in (DagRunType.SCHEDULED, DagRunType.BACKFILL) else self.stands_for


@dataclass(slots=True)
class DeferralRecord:
    """The deferral of one task instance; it exists until the attempt that resumes from it has ended."""

    run_pk: int
    task_no: int
    map_index: int
    defer_seq: int
    dag_pk: int
    request: Deferral
    created_at: Instant
    priority: int = 1
    due_at: Instant | None = None
    """For a timer: the owner fires it then, and no triggerer runs it."""
    timeout_at: Instant | None = None
    held_slots: int = 0
    """Slots that the deferral keeps in its pool (include_deferred)."""
    result: DeferralResult | None = None
    """The result of the deferral, which the task resumes with."""

    @property
    def key(self) -> TaskKey:
        return TaskKey(self.run_pk, self.task_no, self.map_index)


HAS_VALUE = -1
"""`TaskRecord.return_length` of an instance with a return value whose length is not known."""


@dataclass(slots=True, frozen=True)
class HITLDetail:
    """A question of a task instance to people, and its answer. The row is kept with the run."""

    run_pk: int
    task_no: int
    map_index: int
    defer_seq: int
    try_number: int
    request: HITLRequest
    created_at: Instant
    due_at: Instant | None = None
    """When the defaults are taken, or the task is told that nobody answered; None: no limit."""
    response: HITLResponse | None = None

    @property
    def key(self) -> TaskKey:
        return TaskKey(self.run_pk, self.task_no, self.map_index)


@dataclass(slots=True)
class TaskRecord:
    """The row of one task instance. There is none until the instance first has a state; state None: it was cleared since."""

    run_pk: int
    task_no: int
    map_index: int
    state: TaskInstanceState | None
    try_number: int = 0
    max_tries: int = 0
    seq: int = 0
    """The number of attempts so far, the live one included."""
    attempt: str | None = None
    worker: str | None = None
    defer_seq: int = 0
    pool: str | None = None
    pool_slots: int = 1
    priority: int = 1
    resume_at: Instant | None = None
    started_at: Instant | None = None
    ended_at: Instant | None = None
    reason: str | None = None
    return_length: int | None = None
    """Elements of the return value; HAS_VALUE if it has no length or nothing was mapped over it; None: no return value."""
    rendered_map_index: str | None = None
    factor_lengths: tuple[tuple[int, ...], ...] | None = None
    """For map index 0 of an expanded task: the lengths of the factors at the expansion."""
    overrides: InstanceOverrides | None = None
    """The last answer of `task_instance_mutation_hook`; None: it has not answered, or the instance was cleared since."""
    deferral: DeferralRecord | None = None
    """Read with the row, written by `Changes.deferrals`."""

    @property
    def key(self) -> TaskKey:
        return TaskKey(self.run_pk, self.task_no, self.map_index)


@dataclass(slots=True, frozen=True)
class AttemptRecord:
    """One attempt; the row is inserted when the attempt ends."""

    run_pk: int
    task_no: int
    map_index: int
    seq: int
    attempt: str
    try_number: int
    kind: str
    state: str
    reason: str | None
    worker: str | None
    started_at: Instant | None
    ended_at: Instant | None
    exit_code: int | None
    log: str | None


@dataclass(slots=True, frozen=True)
class EventRecord:
    """One line of the audit log."""

    at: Instant
    kind: str
    dag_pk: int | None = None
    run_pk: int | None = None
    task_no: int | None = None
    map_index: int = UNMAPPED
    by: str = "scheduler"
    body: str = ""
    address: str | None = None
    """The address from which the user asked, over the API; None for a command on a host of the deployment, and for services."""


@dataclass(slots=True, frozen=True)
class QueueDiscard:
    """Events to delete from the queue of a consumer DAG."""

    dag_pk: int
    asset_pk: int | None
    """Only those of this asset; None: of all assets."""
    before: Instant | None
    """Only those from before this instant; None: all."""


@dataclass(slots=True, frozen=True)
class MailRecord:
    """One message in the mailbox of a group. `body` is JSON text."""

    mail_pk: int
    group_no: int
    kind: str
    """result | run_created | dag_changed | dag_paused | action | trigger | upstream_ended | wait_registered | pool_changed | asset_events | backfill_changed"""
    key: str | None
    body: str


@dataclass(slots=True, frozen=True)
class NewMail:
    """A message to send to the owner of a group; dropped if a message with the same `key` is already there."""

    group_no: int
    kind: str
    body: str
    key: str | None = None
    at: Instant | None = None


class Changes(msgspec.Struct):
    """The changes of one step of the engine, committed in one transaction, in this order."""

    runs: list[RunRecord] = msgspec.field(default_factory=list)
    """Updated runs: state, started_at, ended_at, reason, version_pk, clear_number, queued_at, conf."""
    tasks: list[TaskRecord] = msgspec.field(default_factory=list)
    """Rows to insert or replace. State None is stored as `states.NO_STATUS_CODE`: a cleared instance keeps its numbers."""
    tasks_deleted: list[TaskKey] = msgspec.field(default_factory=list)
    """Rows to delete (before `tasks` are written): instances that were expanded, so that map indices took their place."""
    attempts: list[AttemptRecord] = msgspec.field(default_factory=list)
    results: list[AttemptResult] = msgspec.field(default_factory=list)
    """Applied results whose XComs are written."""
    xcom_clears: list[TaskKey] = msgspec.field(default_factory=list)
    """Task instances whose XComs are deleted (before `results` are written): a new attempt starts, or it was cleared."""
    deferrals_deleted: list[tuple[TaskKey, bool | None]] = msgspec.field(default_factory=list)
    """Deferrals to delete (before `deferrals` are written). None: no triggerer runs its trigger. True: the trigger gets `on_kill`."""
    deferrals: dict[TaskKey, DeferralRecord] = msgspec.field(default_factory=dict)
    """New deferrals."""
    deferrals_ended: dict[TaskKey, DeferralRecord] = msgspec.field(default_factory=dict)
    """Deferrals whose result is kept for the attempt that resumes."""
    hitl_details: list[HITLDetail] = msgspec.field(default_factory=list)
    """New questions to people."""
    hitl_responses: list[tuple[TaskKey, int, HITLResponse]] = msgspec.field(default_factory=list)
    """(task instance, defer_seq, answer) of questions that are answered, or whose time is over."""
    edge_waits_deleted: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """(down_run, edge_no) of edges whose waits are deleted (before `run_waits` are written)."""
    run_waits: dict[tuple[int, int, str, Instant], RunWait] = msgspec.field(default_factory=dict)
    """Waits between DAGs to insert or replace, by (down_run, edge_no, up_dag, up_at)."""
    callbacks: dict[str, CallbackRecord] = msgspec.field(default_factory=dict)
    """Callbacks of runs to insert or replace, by id."""
    callbacks_deleted: list[str] = msgspec.field(default_factory=list)
    """Ids of callbacks that are not kept: they computed a deadline."""
    deadlines_deleted: list[int] = msgspec.field(default_factory=list)
    """Runs (run_pk) whose deadlines that were not missed are deleted (before `deadlines` are written)."""
    deadlines: dict[tuple[int, int], DeadlineRecord] = msgspec.field(default_factory=dict)
    """Deadlines of runs to insert or replace, by (run_pk, deadline_no)."""
    pool_used: dict[str, int] = msgspec.field(default_factory=dict)
    """Pool to the slots acquired (positive) or released (negative)."""
    tallies: dict[tuple[int, DagRunState], int] = msgspec.field(default_factory=dict)
    """(dag_pk, state) to the change of the number of runs."""
    events: list[EventRecord] = msgspec.field(default_factory=list)
    asset_events: list[NewAssetEvent] = msgspec.field(default_factory=list)
    """Events of assets; each goes into the queue of every DAG that waits for it, and the owners of these DAGs get mail."""
    dag_paused: list[tuple[int, str]] = msgspec.field(default_factory=list)
    """(dag_pk, reason) of DAGs that the owner pauses (max_consecutive_failed_dag_runs)."""
    fresh_files: list[tuple[str, str]] = msgspec.field(default_factory=list)
    """(file, reason) of files whose tasks need a new interpreter from now on."""
    mail_deleted: list[int] = msgspec.field(default_factory=list)
    mail_sent: list[NewMail] = msgspec.field(default_factory=list)
    quarantined: list[QuarantinedItem] = msgspec.field(default_factory=list)
    """Messages that could not be read or applied; those among `mail_deleted` leave the mailbox."""
    reprocessed_runs: list[RunRecord] = msgspec.field(default_factory=list)
    """Runs that a backfill has run again: run_type and backfill_pk are written too."""
    alert_events: list[AlertEvent] = msgspec.field(default_factory=list)
    """Facts that rules of alerts must know."""
    queue_discards: list[QueueDiscard] = msgspec.field(default_factory=list)
    """Events of assets that leave the queues of DAGs without a run."""
    answers: list[tuple[int, str, str]] = msgspec.field(default_factory=list)
    """(request_pk, done | refused, JSON answer)"""

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__struct_fields__)


@dataclass(slots=True, frozen=True)
class PlanChange:
    """The decision of planning for one DAG (PLAN in docs/contributing/ownership.md); applied if `believed_plan_seq` is still current."""

    dag_pk: int
    group_no: int
    believed_plan_seq: int
    cursor: Cursor | None
    next_run: PlannedRun | None
    fingerprint: str
    runs: tuple[PlannedRun, ...] = ()
    version_pk: int | None = None
    error: str | None = None
    """The planning error of the DAG; None clears it."""
    skipped: tuple[SkippedSlots, ...] = ()
    """Slots that get no run; each entry becomes a line of the audit log."""
    live_at: Instant | None = None
    """Since when the schedule is another; None: it is unchanged."""


@dataclass(slots=True)
class PlanOutcome:
    """The outcome of a PlanChange."""

    dag_pk: int
    accepted: bool
    """False: plan_seq has changed (the DAG was paused or edited); read the DAG again."""
    created: list[RunRecord] = field(default_factory=list)
    occupied_slots: list[str] = field(default_factory=list)
    """Slot keys that a manual run already occupies; the cursor moved past them."""
    standing: dict[int, Instant] = field(default_factory=dict)
    """The manual runs that occupy them, by run_pk, with the planned time of the slot."""
    error: str | None = None
    """A run id is used by another run: the cursor stays before that slot, and this becomes the error of the DAG."""
    instead: PlanChange | None = None
    """The part of the change that was applied before the slot with the used run id."""


@dataclass(slots=True)
class UndecodableDag:
    """A DAG of which a stored row cannot be read."""

    dag_id: str
    group_no: int
    error: str
    run_pks: tuple[int, ...] = ()
    """Its unfinished runs."""
    attempts: tuple[str, ...] = ()
    """Their live attempts and those of its callbacks, which go on."""


@dataclass(slots=True, frozen=True)
class RaisedPriority:
    """The priority weight that a task of a run has at least, and the baseline for which."""

    weight: int
    baseline: str


@dataclass(slots=True)
class GroupState:
    """Everything that the owner of some groups loads into memory (LOAD in docs/contributing/ownership.md)."""

    dags: list[DagRecord]
    runs: list[RunRecord]
    tasks: list[TaskRecord]
    previous_runs: dict[int, list[tuple[RunRecord, list[TaskRecord]]]] = field(default_factory=dict)
    """dag_pk to the newest ended run (and its task rows), for DAGs in which a task depends on the past."""
    run_waits: dict[int, list[RunWait]] = field(default_factory=dict)
    """By run_pk: the waits of the unfinished runs for other DAGs, in any state."""
    subscriptions: list[tuple[SubscriptionMessage, tuple[SlotFact, ...]]] = field(default_factory=list)
    """Subscriptions of runs of any owner to slots of these groups' DAGs, with the outcomes of the slots in the store."""
    backfills: list[BackfillRecord] = field(default_factory=list)
    """Backfills that have not ended, or of which a run has not ended."""
    callbacks: list[tuple[CallbackRecord, RunRecord]] = field(default_factory=list)
    """Unfinished callbacks with their runs, ended or not."""
    deadlines: dict[int, list[DeadlineRecord]] = field(default_factory=dict)
    """By run_pk: the deadlines of the unfinished runs."""
    raised_priorities: dict[str, dict[tuple[str, str], RaisedPriority]] = field(default_factory=dict)
    """By DAG id, then by run id and task id: what baselines have raised."""
    undecodable: dict[int, UndecodableDag] = field(default_factory=dict)
    """By dag_pk: the DAGs of which a stored row cannot be read. Nothing else of them is here."""


@dataclass(slots=True, frozen=True)
class PoolRecord:
    name: str
    slots: int
    """-1: unlimited."""
    used: int
    include_deferred: bool = False
    description: str = ""


REMOTE_ADDRESS = "execution-api"
"""How the address of a worker begins that has no Unix socket for schedulers, because it claims its attempts over the execution API; the hash of its secret follows."""


@dataclass(slots=True, frozen=True)
class WorkerRecord:
    worker_id: str
    host: str
    address: str
    """The path of its Unix socket, or a text that begins with REMOTE_ADDRESS."""
    slots: int
    beat_at: Instant
    lost: bool
    queues: tuple[str, ...] | None = None
    """Of a worker of the CeleryExecutor: the queues that it takes messages from."""
