"""Task instances, runs and DAGs of the engine: mutable, and reached through the `EngineState` alone.

The three refer to one another (a task instance to its run, a run to its DAG and its task instances), so they share a file.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from gnomon.model.attempts import Attempt, InstanceOverrides, RunFacts
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, DeferralRecord, RaisedPriority, RunRecord, TaskRecord
from gnomon.model.run_callbacks import DeadlineRecord
from gnomon.model.run_waits import RunWait
from gnomon.model.sentences import render, say
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.decide.expansion import FactorLengths
from gnomon.rules.decide.trigger_rules import Tally
from gnomon.rules.engine.state.backfill_queue import BackfillQueue
from gnomon.rules.engine.state.edge_waits import EdgeWaits
from gnomon.rules.engine.state.limits import AdmissionKey, ConcurrencyLimit
from gnomon.rules.engine.state.queue_state import NOT_QUEUED, QueueState
from gnomon.rules.engine.state.task_expansion import TaskExpansion
from gnomon.rules.engine.state.task_graph import TaskGraph


class AttemptTemplate(NamedTuple):
    """What the attempts of a run have in common, and what it was made of: it is made again when one of these is another."""

    facts: RunFacts
    graph: TaskGraph
    dag: DagRecord
    fresh: str | None
    epoch: int
    attempt: Attempt


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
        "overrides",
        "pool",
        "pool_slots",
        "priority",
        "question_number",
        "queue_state",
        "reason",
        "rendered_map_index",
        "resume_at",
        "return_length",
        "run",
        "seq",
        "started_at",
        "state",
        "task",
        "try_number",
        "unentered_attempts",
        "worker",
    )

    def __init__(self, run: DagRun, index: int, map_index: int, task: TaskSpec) -> None:
        self.run = run
        self.index = index
        self.task = task
        """That of the index in the graph of the run."""
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
        """The deferral that it waits for or, once that has a result, that its next attempt resumes from."""
        self.pool: str | None = None
        self.pool_slots = task.pool_slots
        self.priority = task.effective_priority
        self.overrides: InstanceOverrides | None = None
        """What `task_instance_mutation_hook` set for its last or next try; changed by `set_overrides` and `restore`."""
        self.question_number = 0
        """The question to the hook that it waits for, in QueueState.HOOK; 0: the question is not sent, or it failed."""
        self.resume_at: Instant | None = None
        self.started_at: Instant | None = None
        self.ended_at: Instant | None = None
        self.reason: str | None = None
        self.return_length: int | None = None
        """As `TaskRecord.return_length`."""
        self.rendered_map_index: str | None = None
        self.limits: list[ConcurrencyLimit] = []
        """The limits that count its live attempt."""
        self.unentered_attempts = 0
        """Lost attempts since the last attempt that entered author code, as far as this scheduler has seen them."""
        self.queue_state: QueueState = NOT_QUEUED
        """The container that the instance waits in until it is admitted; changed by `move_in_queue` alone."""
        self.generation = 0
        """Increases with every move between queues; a heap entry of an earlier generation is void."""
        self.is_stored = False
        """True when the store has a row of the instance."""

    @property
    def needs_expansion(self) -> bool:
        """True for the one instance of a mapped task that is not expanded."""
        mapping = self.run.graph.mapping
        return mapping is not None and self.map_index < 0 and bool(mapping.levels[self.index])

    @property
    def is_queued(self) -> bool:
        """True when the rules let the instance run and it waits for its admission."""
        return self.queue_state is not NOT_QUEUED

    @property
    def admission_key(self) -> AdmissionKey:
        """The order of admission: an instance that goes on after a deferral comes before all that begin, and backfills come last.

        Otherwise as airflow-surface.md D.5.
        """
        run, deferral = self.run, self.deferral
        return (
            deferral is None or deferral.result is None,  # as is_resumption
            run.backfill is not None,
            -(self.priority if run.dag.raised is None else self.effective_priority),
            run.record.run_after,
            run.pk,
            self.index,
            self.map_index,
        )

    @property
    def raised(self) -> RaisedPriority | None:
        """What a baseline has raised its priority to; None: nothing, or not above its own."""
        of_dag = self.run.dag.raised
        raised = None if of_dag is None else of_dag.get((self.run.record.run_id, self.task.task_id))
        return None if raised is None or raised.weight <= self.priority else raised

    @property
    def effective_priority(self) -> int:
        """The priority that admission sorts by."""
        raised = self.raised
        return self.priority if raised is None else raised.weight

    @property
    def is_resumption(self) -> bool:
        """True when its live or next attempt resumes after a deferral."""
        return self.deferral is not None and self.deferral.result is not None

    @property
    def continues_in_operator(self) -> bool:
        """True when its attempt resumes in the operator's method; False also if the trigger ended the task and only callbacks are left."""
        result = None if self.deferral is None else self.deferral.result
        return result is not None and not result.ends_task

    @property
    def starts_deferred(self) -> bool:
        """True when its next try starts with a deferral (`start_from_trigger`)."""
        return self.task.start_wait is not None and not self.is_resumption

    @property
    def target_pool(self) -> str:
        """The pool that its next attempt uses."""
        return self.overrides.pool if self.overrides is not None and self.overrides.pool is not None else self.task.pool

    @property
    def queue(self) -> str:
        """The queue of its attempt, for executors with a message broker."""
        return (
            self.overrides.queue if self.overrides is not None and self.overrides.queue is not None else self.task.queue
        )

    @property
    def executor(self) -> str | None:
        """The executor that its task or the hook names; None: the default."""
        return (
            self.overrides.executor
            if self.overrides is not None and self.overrides.executor is not None
            else self.task.executor
        )

    def set_overrides(self, overrides: InstanceOverrides | None) -> None:
        """Give the instance, which has no attempt, the values of its task and those that the hook set."""
        self.overrides = overrides
        task, slots, priority = self.task, None, None
        if overrides is not None:
            slots, priority = overrides.pool_slots, overrides.priority_weight
        self.pool_slots = task.pool_slots if slots is None else slots
        self.priority = task.effective_priority if priority is None else priority

    @property
    def has_attempt(self) -> bool:
        """True while an attempt is assigned to a worker."""
        return self.attempt is not None

    def name(self) -> str:
        """`task_id` or `task_id[map_index]`."""
        return self.task.task_id if self.map_index < 0 else f"{self.task.task_id}[{self.map_index}]"

    def key(self) -> TaskKey:
        """The key of its row."""
        return TaskKey(self.run.pk, self.run.graph.numbers[self.index], self.map_index)

    def restore(self, row: TaskRecord) -> None:
        """Set all fields from the row."""
        self.state, self.try_number, self.seq = row.state, row.try_number, row.seq
        if row.try_number:
            self.max_tries = row.max_tries
        self.attempt, self.worker, self.defer_seq = row.attempt, row.worker, row.defer_seq
        if row.overrides is not None:
            self.set_overrides(row.overrides)
        self.deferral = row.deferral
        if row.attempt is not None or (row.deferral is not None and row.deferral.held_slots):
            self.pool, self.pool_slots = row.pool, row.pool_slots
        self.resume_at, self.started_at, self.ended_at = row.resume_at, row.started_at, row.ended_at
        self.reason = row.reason
        self.return_length, self.rendered_map_index = row.return_length, row.rendered_map_index
        self.entered = row.state is S.RUNNING
        self.is_stored = True

    def to_record(self) -> TaskRecord:
        """The row of the instance with its present fields."""
        lengths = self.run.find_lengths(self.index) if self.map_index == 0 else None
        return TaskRecord(
            run_pk=self.run.pk,
            task_no=self.run.graph.numbers[self.index],
            map_index=self.map_index,
            state=self.state,
            try_number=self.try_number,
            max_tries=self.max_tries,
            seq=self.seq,
            attempt=self.attempt,
            worker=self.worker,
            defer_seq=self.defer_seq,
            pool=self.pool,
            pool_slots=self.pool_slots,
            priority=self.priority,
            resume_at=self.resume_at,
            started_at=self.started_at,
            ended_at=self.ended_at,
            reason=self.reason,
            return_length=self.return_length,
            rendered_map_index=self.rendered_map_index,
            factor_lengths=lengths,
            overrides=self.overrides,
        )


class FollowedTasks(Protocol):
    """The tasks of a run that a `Follower` follows."""

    def get_state(self, index: int) -> S | None:
        """The state of the task at this index; None: it has not started."""


class DagRun:
    """One run: its task instances by task index and map index, a tally for each task, the count of unfinished instances."""

    __slots__ = (
        "active_tasks_limit",
        "attempt_template",
        "backfill",
        "branches",
        "dag",
        "deadlines",
        "edges",
        "expansions",
        "facts",
        "follower",
        "former_lengths",
        "generation",
        "graph",
        "hook_queue",
        "hook_retry_at",
        "is_due_timer_set",
        "lengths_version",
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
        self.backfill: BackfillQueue | None = (
            None if record.backfill_pk is None else dag.backfills.get(record.backfill_pk)
        )
        """The backfill whose limit counts the run; None: the max_active_runs of the DAG counts it."""
        self.graph: TaskGraph = dag.find_graph(record)
        self.active_tasks_limit = new_run_limit(self.graph)
        self.task_limits: dict[int, ConcurrencyLimit] = {}
        """By task index: max_active_tis_per_dagrun."""
        self.task_instances: list[dict[int, TaskInstance]] = []
        self.tallies: list[Tally] = []
        """By task index: the upstream instances that all instances of the task wait for."""
        self.branches: set[str] = set()
        """The tasks (ids) that skip reasons of instances name."""
        self.expansions: dict[int, TaskExpansion] = {}
        """By task index: the mapped tasks that have instances with map indices."""
        self.former_lengths: dict[int, FactorLengths] = {}
        """By task index: the last lengths of tasks that are not mapped any more and keep finished instances with map indices."""
        self.lengths_version = 0
        """Increases when a length that a task is mapped over may have changed."""
        self.unfinished_count = 0
        self.removed_task_rows: dict[int, list[TaskRecord]] = {}
        """By task number: rows of tasks that this version of the DAG does not have; they are used again if the task returns."""
        self.generation = 0
        """Increases with every change of the run's state; a timer of an earlier generation is void."""
        self.is_due_timer_set = False
        """True when a timer is set for the run's `run_after`."""
        self.edges: dict[int, EdgeWaits] = {}
        """Its dependencies on other DAGs, by number of the edge."""
        self.stale_waits: tuple[RunWait, ...] = ()
        """Waits of edges that its DAG no longer has; the next step deletes them."""
        self.deadlines: dict[int, DeadlineRecord] = {}
        """By their position in the DAG."""
        self.hook_queue: dict[TaskInstance, None] = {}
        """Ready task instances that wait for an answer of `task_instance_mutation_hook` (QueueState.HOOK)."""
        self.hook_retry_at: Instant | None = None
        """When the hook is asked again about those whose question failed; None: no question failed."""
        self.facts: RunFacts | None = None
        """The part of an attempt that describes the run; built once for each state of the run."""
        self.attempt_template: AttemptTemplate | None = None
        """What all attempts of the run have in common; see `build_attempt`."""
        self.follower: FollowedTasks | None = None
        """Who follows its tasks instead of the engine, which has no task instances of it then; None: the engine. See `followed_runs.py`."""

    @property
    def sort_key(self) -> tuple[Instant, int]:
        """The order of the runs of a DAG: by `run_after`, then by creation."""
        return (self.record.run_after, self.pk)

    @property
    def is_running(self) -> bool:
        return self.record.state is DagRunState.RUNNING

    def find_lengths(self, index: int) -> FactorLengths | None:
        """The lengths that the row of map index 0 of the task holds; None for a task without instances with map indices."""
        expansion = self.expansions.get(index)
        return self.former_lengths.get(index) if expansion is None else expansion.lengths

    def find_task_instance(self, index: int, map_index: int = -1) -> TaskInstance | None:
        """The task instance; None when this run has none with that index and map index."""
        return self.task_instances[index].get(map_index)


class Dag:
    """One DAG: its newest version, its unfinished runs, and the limits that span its runs."""

    __slots__ = (
        "backfills",
        "by_slot",
        "graph",
        "held_instances",
        "is_as_loaded",
        "queued_runs",
        "raised",
        "record",
        "run_history",
        "running_runs",
        "runs",
        "runs_waiting_upstream",
        "task_limits",
    )

    def __init__(self, record: DagRecord, graph: TaskGraph | None = None) -> None:
        """`graph`: that of the version of the record, if it was compiled before."""
        self.record = record
        self.raised: Mapping[tuple[str, str], RaisedPriority] | None = None
        """By run id and task id: the priorities that baselines have raised; None: none of the DAG. Set by `EngineState.set_raised`."""
        self.is_as_loaded = False
        """True from the load to the first `DagRead`: mail about earlier changes may still arrive."""
        self.graph = graph or TaskGraph(record.spec, record.version_pk, record.task_numbers)
        self.runs: dict[int, DagRun] = {}
        self.backfills: dict[int, BackfillQueue] = {}
        self.queued_runs: list[tuple[Instant, int]] = []
        """Heap of (run_after, run_pk) of runs that wait to start; an entry whose run is no longer queued is void."""
        self.running_runs: set[int] = set()
        """The running runs (run_pk) that its max_active_runs counts."""
        self.runs_waiting_upstream: dict[int, None] = {}
        """Queued runs (run_pk) that wait for other DAGs: they are not in `queued_runs`, and no limit counts them."""
        self.by_slot: dict[Instant, DagRun] = {}
        """Runs in memory by their slot."""
        self.held_instances: dict[TaskInstance, None] = {}
        """Ready task instances that wait until the DAG is unpaused or active again (QueueState.DAG)."""
        self.task_limits: dict[int, ConcurrencyLimit] = {}
        """By task number: max_active_tis_per_dag."""
        self.run_history: list[DagRun] = []
        """Runs in order, with finished runs that a later run may depend on; empty unless a task depends on the past."""

    def find_graph(self, record: RunRecord) -> TaskGraph:
        """The graph for a run: that of the version that it keeps, otherwise that of the newest version."""
        if record.kept_spec is None or record.version_pk is None or record.version_pk == self.graph.version_pk:
            return self.graph
        for run in self.runs.values():
            if run.graph.version_pk == record.version_pk:
                return run.graph
        return TaskGraph(record.kept_spec, record.version_pk, self.record.task_numbers)

    def enqueue_run(self, run: DagRun) -> None:
        """Add a queued run to the queue that it is started from: that of the DAG, or of its backfill."""
        if run.backfill is None:
            heapq.heappush(self.queued_runs, run.sort_key)
        else:
            heapq.heappush(run.backfill.queued_runs, run.backfill.key_of(run.record))

    def count_running(self, run: DagRun, by: int) -> None:
        """Count a run that starts (`by` 1) or ends (-1) at the limit that it belongs to."""
        counted = self.running_runs if run.backfill is None else run.backfill.running_runs
        if by > 0:
            counted.add(run.pk)
        else:
            counted.discard(run.pk)

    @property
    def running_count(self) -> int:
        return len(self.running_runs)

    @property
    def hold_reason(self) -> str | None:
        """Why no task of the DAG may start now; None when tasks may start."""
        if self.record.paused:
            return _PAUSED
        if not self.record.active:
            return _WITHOUT_FILE
        return None


_PAUSED = render(say("this_dag_is_paused"))
_WITHOUT_FILE = render(say("this_dag_has_no_file"))


def new_run_limit(graph: TaskGraph) -> ConcurrencyLimit:
    """A new limit for the max_active_tasks of one run."""
    return ConcurrencyLimit(graph.spec.max_active_tasks, graph.run_limit_name)
