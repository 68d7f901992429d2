"""Task instances, runs and DAGs as the engine holds them: mutable, and reached through `Memory` alone."""

from __future__ import annotations

from gnomon.decide.trigger_rules import Tally
from gnomon.engine.state.edge_waits import EdgeWaits
from gnomon.engine.state.limits import AdmissionKey, ConcurrencyLimit
from gnomon.engine.state.queue_state import NOT_QUEUED, QueueState
from gnomon.engine.state.task_graph import TaskGraph
from gnomon.model.attempts import RunFacts
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, DeferralRecord, RunRecord, TaskRecord
from gnomon.model.run_waits import RunWait
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S


class TaskInstance:
    """One task instance of an unfinished run."""

    __slots__ = (
        "attempt",
        "defer_seq",
        "deferral",
        "ended_at",
        "entered",
        "generation",
        "index",
        "is_stored",
        "limits",
        "map_index",
        "max_tries",
        "pool",
        "pool_slots",
        "priority",
        "queue_state",
        "reason",
        "resume_at",
        "run",
        "seq",
        "started_at",
        "state",
        "try_number",
        "unentered_attempts",
        "worker",
    )

    def __init__(self, run: DagRun, index: int, map_index: int, task: TaskSpec) -> None:
        self.run = run
        self.index = index
        self.map_index = map_index
        self.state: S | None = None
        self.try_number = 0
        self.max_tries = task.retries
        self.seq = 0
        self.attempt: str | None = None
        self.worker: str | None = None
        self.entered = False
        self.defer_seq = 0
        self.deferral: DeferralRecord | None = None
        """What it waits for or, when that has fired, what it goes on with."""
        self.pool: str | None = None
        self.pool_slots = task.pool_slots
        self.priority = task.effective_priority
        self.resume_at: Instant | None = None
        self.started_at: Instant | None = None
        self.ended_at: Instant | None = None
        self.reason: str | None = None
        self.limits: list[ConcurrencyLimit] = []
        """The limits that its live attempt counts for."""
        self.unentered_attempts = 0
        """Attempts since the last one that entered author code, as far as this memory has seen."""
        self.queue_state: QueueState = NOT_QUEUED
        """The container that the instance waits in until it is admitted; changed by `move_in_queue` alone."""
        self.generation = 0
        """Increases with every move between queues; a heap entry of an earlier generation is void."""
        self.is_stored = False
        """A row of it is in the store."""

    @property
    def task(self) -> TaskSpec:
        return self.run.graph.tasks[self.index]

    @property
    def is_queued(self) -> bool:
        """True when the rules let the instance run and it waits for its admission."""
        return self.queue_state is not NOT_QUEUED

    @property
    def admission_key(self) -> AdmissionKey:
        """The order of admission (airflow-surface.md D.5): an instance that goes on after a deferral comes before all that begin."""
        run = self.run
        return (not self.is_resumption, -self.priority, run.record.run_after, run.pk, self.index, self.map_index)

    @property
    def is_resumption(self) -> bool:
        """Its next attempt, or the one it has, goes on after a wait."""
        return self.deferral is not None and self.deferral.result is not None

    @property
    def continues_in_operator(self) -> bool:
        """Its attempt goes on in the author's code; no trigger has ended it, so that only its callbacks are left."""
        result = None if self.deferral is None else self.deferral.result
        return result is not None and not result.ends_task

    @property
    def starts_deferred(self) -> bool:
        """Its next try begins with the wait for its trigger."""
        return self.task.start_wait is not None and not self.is_resumption

    @property
    def has_attempt(self) -> bool:
        """An attempt of it is on a worker."""
        return self.attempt is not None

    def name(self) -> str:
        """`task_id` or `task_id[map_index]`."""
        return self.task.task_id if self.map_index < 0 else f"{self.task.task_id}[{self.map_index}]"

    def key(self) -> TaskKey:
        """The key of its row."""
        return TaskKey(self.run.pk, self.run.graph.numbers[self.index], self.map_index)

    def restore(self, row: TaskRecord) -> None:
        """Take over what the store says of it."""
        self.state, self.try_number, self.seq = row.state, row.try_number, row.seq
        if row.try_number:
            self.max_tries = row.max_tries
        self.attempt, self.worker, self.defer_seq = row.attempt, row.worker, row.defer_seq
        self.deferral = row.deferral
        if row.attempt is not None or (row.deferral is not None and row.deferral.held_slots):
            self.pool, self.pool_slots = row.pool, row.pool_slots
        self.resume_at, self.started_at, self.ended_at = row.resume_at, row.started_at, row.ended_at
        self.reason = row.reason
        self.entered = row.state is S.RUNNING
        self.is_stored = True

    def to_record(self) -> TaskRecord:
        """Its row as of now."""
        return TaskRecord(
            run_pk=self.run.pk, task_no=self.run.graph.numbers[self.index], map_index=self.map_index, state=self.state,
            try_number=self.try_number, max_tries=self.max_tries, seq=self.seq, attempt=self.attempt, worker=self.worker,
            defer_seq=self.defer_seq, pool=self.pool, pool_slots=self.pool_slots, priority=self.priority,
            resume_at=self.resume_at, started_at=self.started_at, ended_at=self.ended_at, reason=self.reason,
        )


class DagRun:
    """One run: its cells by task index and map index, a tally per task, counts of what is unfinished and live."""

    __slots__ = (
        "active_tasks_limit",
        "dag",
        "edges",
        "facts",
        "generation",
        "graph",
        "is_due_timer_set",
        "pk",
        "record",
        "removed_task_rows",
        "stale_waits",
        "tallies",
        "task_instances",
        "task_limits",
        "unfinished_count",
    )

    def __init__(self, dag: Dag, record: RunRecord) -> None:
        self.dag = dag
        self.record = record
        self.pk = record.run_pk
        self.graph: TaskGraph = dag.graph
        self.active_tasks_limit = new_run_limit(dag.graph)
        self.task_limits: dict[int, ConcurrencyLimit] = {}
        """By task index: max_active_tis_per_dagrun."""
        self.task_instances: list[dict[int, TaskInstance]] = []
        self.tallies: list[Tally] = []
        self.unfinished_count = 0
        self.removed_task_rows: dict[int, list[TaskRecord]] = {}
        """By task number: rows of tasks that this version of the DAG does not have; they count again if it comes back."""
        self.generation = 0
        """Counts the states that this run has left; a timer with an older ticket is void."""
        self.is_due_timer_set = False
        """A timer will call when it is due."""
        self.edges: dict[int, EdgeWaits] = {}
        """What it waits for, or waited for, in other DAGs, by edge."""
        self.stale_waits: tuple[RunWait, ...] = ()
        """Rows of edges that its DAG no longer has."""
        self.facts: RunFacts | None = None
        """What attempts are told of this run; made once per start."""

    @property
    def sort_key(self) -> tuple[Instant, int]:
        """Runs of a DAG are ordered by when they were due, then by their creation."""
        return (self.record.run_after, self.pk)

    @property
    def is_running(self) -> bool:
        return self.record.state is DagRunState.RUNNING

    def find_task_instance(self, index: int, map_index: int = -1) -> TaskInstance | None:
        """The cell, or None when this run has no such task instance."""
        return self.task_instances[index].get(map_index)


class Dag:
    """One DAG: its newest version, its unfinished runs, its limits."""

    __slots__ = ("by_slot", "graph", "held_instances", "is_as_loaded", "queued_runs", "record", "run_history", "running_count", "runs", "runs_waiting_upstream", "task_limits")

    def __init__(self, record: DagRecord) -> None:
        self.record = record
        self.is_as_loaded = False
        """It was loaded, and not read since: letters about what changed before are still to come."""
        self.graph = TaskGraph(record.spec, record.version_pk, record.task_numbers)
        self.runs: dict[int, DagRun] = {}
        self.queued_runs: list[tuple[Instant, int]] = []
        """Heap of (run_after, run_pk) of runs that wait to start; entries of runs that left are void."""
        self.running_count = 0
        self.runs_waiting_upstream: dict[int, None] = {}
        """Queued runs (run_pk) that wait for other DAGs: in no queue, and counted for no limit."""
        self.by_slot: dict[Instant, DagRun] = {}
        """Runs in memory by the planned time that they stand for."""
        self.held_instances: dict[TaskInstance, None] = {}
        """Ready task instances that wait until the DAG is unpaused or active again (QueueState.DAG)."""
        self.task_limits: dict[int, ConcurrencyLimit] = {}
        """By task number: max_active_tis_per_dag."""
        self.run_history: list[DagRun] = []
        """Runs in order, ended ones included that a later run may look back at; only when a task uses the past."""

    @property
    def hold_reason(self) -> str | None:
        """Why none of its tasks may start now, or None."""
        if self.record.paused:
            return "the DAG is paused"
        if not self.record.active:
            return "the DAG is no longer in any file"
        return None


def new_run_limit(graph: TaskGraph) -> ConcurrencyLimit:
    """A new gate for max_active_tasks of one run."""
    limit = graph.spec.max_active_tasks
    return ConcurrencyLimit(limit, f"max_active_tasks={limit} of the run")
