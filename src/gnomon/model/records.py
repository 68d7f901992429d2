"""Rows as the store gives and takes them: what a load returns and what one step of the engine changes.

Instants are integers (`model.instants`). The engine fills a `Changes`; `store.commit` writes it in one transaction.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gnomon.model.attempts import AttemptResult
from gnomon.model.deferral import Deferral, DeferralResult
from gnomon.model.ids import UNMAPPED, TaskKey
from gnomon.model.instants import Instant
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
    """Task id to its number in this DAG; append-only, numbers are never reused."""
    file: str
    input_hash: str
    fresh: str | None = None
    error: str | None = None
    looked_further: bool = False
    """Its file read more than files: what was imported once does not hold for ever."""
    dependency_error: str | None = None
    """Why its dependencies on other DAGs can never be met; no run of it is planned while this stands."""
    live_at: Instant | None = None
    """Since when it has been let run with this schedule: unpaused, in a file. Older slots are what `catchup` rules."""


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
    """Of a run made by hand that holds a planned slot: the planned time of that slot."""

    @property
    def slot_at(self) -> Instant | None:
        """The planned time that the run stands for; None for one that stands for no slot."""
        return self.run_after if self.run_type in (DagRunType.SCHEDULED, DagRunType.BACKFILL) else self.stands_for


@dataclass(slots=True)
class DeferralRecord:
    """What one deferred task instance waits for; there until the attempt that goes on has ended."""

    run_pk: int
    task_no: int
    map_index: int
    defer_seq: int
    dag_pk: int
    request: Deferral
    created_at: Instant
    priority: int = 1
    due_at: Instant | None = None
    """Of a timer: the owner fires it then, and no triggerer takes it."""
    timeout_at: Instant | None = None
    held_slots: int = 0
    """Slots of its pool that it keeps meanwhile (include_deferred)."""
    result: DeferralResult | None = None
    """How the wait ended; the task goes on with it."""

    @property
    def key(self) -> TaskKey:
        return TaskKey(self.run_pk, self.task_no, self.map_index)


@dataclass(slots=True)
class TaskRecord:
    """One task instance row; it is absent until the instance first has a state (state None: it was cleared since)."""

    run_pk: int
    task_no: int
    map_index: int
    state: TaskInstanceState | None
    try_number: int = 0
    max_tries: int = 0
    seq: int = 0
    """Attempts so far; the live attempt's seq while there is one."""
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
    deferral: DeferralRecord | None = None
    """Read with the row, written by `Changes.waits`."""

    @property
    def key(self) -> TaskKey:
        return TaskKey(self.run_pk, self.task_no, self.map_index)


@dataclass(slots=True, frozen=True)
class AttemptRecord:
    """One attempt, inserted at its end."""

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


@dataclass(slots=True, frozen=True)
class MailRecord:
    """One letter to the owner of a group. `body` is JSON text."""

    mail_pk: int
    group_no: int
    kind: str
    """result | run_created | dag_changed | dag_paused | action | trigger | upstream_ended | wait_registered | pool_changed"""
    key: str | None
    body: str


@dataclass(slots=True, frozen=True)
class NewMail:
    """A letter to send; one with a `key` that is already there is dropped."""

    group_no: int
    kind: str
    body: str
    key: str | None = None
    at: Instant | None = None


@dataclass(slots=True)
class Changes:
    """What one step of the engine changes in the store, in one transaction, in this order."""

    runs: list[RunRecord] = field(default_factory=list)
    """Updated runs: state, started_at, ended_at, reason, version_pk, clear_number, queued_at, conf."""
    tasks: list[TaskRecord] = field(default_factory=list)
    """Rows to insert or replace. A state of None is stored as `states.NO_STATUS_CODE`: a cleared instance keeps its numbers."""
    attempts: list[AttemptRecord] = field(default_factory=list)
    results: list[AttemptResult] = field(default_factory=list)
    """Applied results whose XComs are to be written."""
    xcom_clears: list[TaskKey] = field(default_factory=list)
    """Task instances whose XComs go (before `results` are written): a new attempt begins, or it was cleared."""
    deferrals_deleted: list[tuple[TaskKey, bool | None]] = field(default_factory=list)
    """Waits that are over (before `waits` are written). None: no triggerer has anything of it. True: somebody ended it, so that its
    trigger hears `on_kill`."""
    deferrals: dict[TaskKey, DeferralRecord] = field(default_factory=dict)
    """New waits."""
    deferrals_ended: dict[TaskKey, DeferralRecord] = field(default_factory=dict)
    """Waits whose event is kept for the attempt that goes on."""
    edge_waits_deleted: list[tuple[int, int]] = field(default_factory=list)
    """(down_run, edge_no): all waits of that edge go (before `run_waits` are written): it is found again, or is no more."""
    run_waits: dict[tuple[int, int, str, Instant], RunWait] = field(default_factory=dict)
    """Waits between DAGs to insert or replace, by (down_run, edge_no, up_dag, up_at)."""
    pool_used: dict[str, int] = field(default_factory=dict)
    """Pool to the slots taken (positive) or given back (negative)."""
    tallies: dict[tuple[int, DagRunState], int] = field(default_factory=dict)
    events: list[EventRecord] = field(default_factory=list)
    dag_paused: list[tuple[int, str]] = field(default_factory=list)
    """DAGs that the owner pauses itself (max_consecutive_failed_dag_runs), with the reason."""
    fresh_files: list[tuple[str, str]] = field(default_factory=list)
    """(file, reason): its tasks need a fresh interpreter from now on."""
    mail_deleted: list[int] = field(default_factory=list)
    mail_sent: list[NewMail] = field(default_factory=list)
    answers: list[tuple[int, str, str]] = field(default_factory=list)
    """(request_pk, done | refused, JSON answer)"""

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)


@dataclass(slots=True, frozen=True)
class PlanChange:
    """What planning decided for one DAG: OWNERSHIP.md line 22, under `believed` as its guard."""

    dag_pk: int
    group_no: int
    believed_plan_seq: int
    cursor: Cursor | None
    next_run: PlannedRun | None
    fingerprint: str
    runs: tuple[PlannedRun, ...] = ()
    version_pk: int | None = None
    error: str | None = None
    """A planning error that stands on the DAG; None clears it."""
    passed: tuple[SkippedSlots, ...] = ()
    """Slots that no run is made for; each note becomes a line of the audit log."""
    live_at: Instant | None = None
    """The schedule is another from now on; None: as before."""


@dataclass(slots=True)
class PlanOutcome:
    """What became of a PlanChange."""

    dag_pk: int
    accepted: bool
    """False: plan_seq had moved on (paused, changed); read the DAG again."""
    created: list[RunRecord] = field(default_factory=list)
    occupied_slots: list[str] = field(default_factory=list)
    """Slot keys that a manual run already holds; the cursor moved past them."""
    standing: dict[int, Instant] = field(default_factory=dict)
    """Runs by hand among them, by run_pk, with the planned time that each stands for from now on."""
    error: str | None = None
    """A run id was taken by another run: the cursor stays before that slot, the sentence stands on the DAG."""
    instead: PlanChange | None = None
    """What of the change was made, when a taken run id came after it."""


@dataclass(slots=True)
class GroupState:
    """Everything that the owner of some groups keeps in memory: OWNERSHIP.md line 14."""

    dags: list[DagRecord]
    runs: list[RunRecord]
    tasks: list[TaskRecord]
    previous_runs: dict[int, list[tuple[RunRecord, list[TaskRecord]]]] = field(default_factory=dict)
    """dag_pk to the newest ended run (and its task rows), for DAGs in which a task depends on the past."""
    run_waits: dict[int, list[RunWait]] = field(default_factory=dict)
    """By run_pk: what the unfinished runs wait for in other DAGs, met or not."""
    subscriptions: list[tuple[SubscriptionMessage, tuple[SlotFact, ...]]] = field(default_factory=list)
    """Open waits for slots of these groups' DAGs, whoever's they are, and what the store knows of the slots."""


@dataclass(slots=True, frozen=True)
class PoolRecord:
    name: str
    slots: int
    """-1: no bound."""
    used: int
    include_deferred: bool = False
    description: str = ""


@dataclass(slots=True, frozen=True)
class WorkerRecord:
    worker_id: str
    host: str
    address: str
    """The path of its Unix socket."""
    slots: int
    beat_at: Instant
    lost: bool
