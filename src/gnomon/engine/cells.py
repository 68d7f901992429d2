"""Task instances, runs and DAGs as the engine holds them: mutable, and reached through `Memory` alone."""

from __future__ import annotations

from gnomon.decide.trigger_rules import Tally
from gnomon.engine.edges import EdgeWaits
from gnomon.engine.gates import Gate
from gnomon.engine.graph import Graph
from gnomon.model.facts import RunFacts
from gnomon.model.ids import TaskKey
from gnomon.model.instants import Instant
from gnomon.model.records import DagRecord, RunRecord, TaskRecord, WaitRecord
from gnomon.model.runwaits import RunWait
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S


class Cell:
    """One task instance of an unfinished run."""

    __slots__ = ("attempt", "defer_seq", "ended_at", "entered", "gates", "index", "map_index", "max_tries", "pool", "pool_slots",
                 "priority", "ready", "reason", "resume_at", "run", "seq", "started_at", "state", "ticket", "try_number", "unentered",
                 "waiting", "worker", "written")

    def __init__(self, run: Run, index: int, map_index: int, task: TaskSpec) -> None:
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
        self.waiting: WaitRecord | None = None
        """What it waits for or, when that has fired, what it goes on with."""
        self.pool: str | None = None
        self.pool_slots = task.pool_slots
        self.priority = task.effective_priority
        self.resume_at: Instant | None = None
        self.started_at: Instant | None = None
        self.ended_at: Instant | None = None
        self.reason: str | None = None
        self.gates: list[Gate] = []
        """The limits that its live attempt counts for."""
        self.unentered = 0
        """Attempts since the last one that entered author code, as far as this memory has seen."""
        self.ready = False
        """Its rules let it run; it waits in a pool or at a gate."""
        self.ticket = 0
        """Counts the places that this cell has left; an entry of a heap with an older ticket is void."""
        self.written = False
        """A row of it is in the store."""

    @property
    def task(self) -> TaskSpec:
        return self.run.graph.tasks[self.index]

    @property
    def resumes(self) -> bool:
        """Its next attempt, or the one it has, goes on after a wait."""
        return self.waiting is not None and self.waiting.fired is not None

    @property
    def goes_on(self) -> bool:
        """Its attempt goes on in the author's code; no trigger has ended it, so that only its callbacks are left."""
        fired = None if self.waiting is None else self.waiting.fired
        return fired is not None and not fired.ends_task

    @property
    def begins_waiting(self) -> bool:
        """Its next try begins with the wait for its trigger."""
        return self.task.start_wait is not None and not self.resumes

    @property
    def live(self) -> bool:
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
        self.waiting = row.waiting
        if row.attempt is not None or (row.waiting is not None and row.waiting.held_slots):
            self.pool, self.pool_slots = row.pool, row.pool_slots
        self.resume_at, self.started_at, self.ended_at = row.resume_at, row.started_at, row.ended_at
        self.reason = row.reason
        self.entered = row.state is S.RUNNING
        self.written = True

    def record(self) -> TaskRecord:
        """Its row as of now."""
        return TaskRecord(
            run_pk=self.run.pk, task_no=self.run.graph.numbers[self.index], map_index=self.map_index, state=self.state,
            try_number=self.try_number, max_tries=self.max_tries, seq=self.seq, attempt=self.attempt, worker=self.worker,
            defer_seq=self.defer_seq, pool=self.pool, pool_slots=self.pool_slots, priority=self.priority,
            resume_at=self.resume_at, started_at=self.started_at, ended_at=self.ended_at, reason=self.reason,
        )


class Run:
    """One run: its cells by task index and map index, a tally per task, counts of what is unfinished and live."""

    __slots__ = ("cells", "dag", "due_called", "edges", "facts", "gate", "gone", "graph", "pk", "record", "stale_waits", "tallies",
                 "task_gates", "ticket", "unfinished")

    def __init__(self, dag: Dag, record: RunRecord) -> None:
        self.dag = dag
        self.record = record
        self.pk = record.run_pk
        self.graph: Graph = dag.graph
        self.gate = run_gate(dag.graph)
        self.task_gates: dict[int, Gate] = {}
        """By task index: max_active_tis_per_dagrun."""
        self.cells: list[dict[int, Cell]] = []
        self.tallies: list[Tally] = []
        self.unfinished = 0
        self.gone: dict[int, list[TaskRecord]] = {}
        """By task number: rows of tasks that this version of the DAG does not have; they count again if it comes back."""
        self.ticket = 0
        """Counts the states that this run has left; a timer with an older ticket is void."""
        self.due_called = False
        """A timer will call when it is due."""
        self.edges: dict[int, EdgeWaits] = {}
        """What it waits for, or waited for, in other DAGs, by edge."""
        self.stale_waits: tuple[RunWait, ...] = ()
        """Rows of edges that its DAG no longer has."""
        self.facts: RunFacts | None = None
        """What attempts are told of this run; made once per start."""

    @property
    def order(self) -> tuple[Instant, int]:
        """Runs of a DAG are ordered by when they were due, then by their creation."""
        return (self.record.run_after, self.pk)

    @property
    def active(self) -> bool:
        return self.record.state is DagRunState.RUNNING

    def cell(self, index: int, map_index: int = -1) -> Cell | None:
        """The cell, or None when this run has no such task instance."""
        return self.cells[index].get(map_index)


class Dag:
    """One DAG: its newest version, its unfinished runs, its limits."""

    __slots__ = ("as_loaded", "by_slot", "graph", "parked", "past", "queued", "record", "running", "runs", "task_gates", "waiting")

    def __init__(self, record: DagRecord) -> None:
        self.record = record
        self.as_loaded = False
        """It was loaded, and not read since: letters about what changed before are still to come."""
        self.graph = Graph(record.spec, record.version_pk, record.task_numbers)
        self.runs: dict[int, Run] = {}
        self.queued: list[tuple[Instant, int]] = []
        """Heap of (run_after, run_pk) of runs that wait to start; entries of runs that left are void."""
        self.running = 0
        self.waiting: dict[int, None] = {}
        """Queued runs (run_pk) that wait for other DAGs: in no queue, and counted for no limit."""
        self.by_slot: dict[Instant, Run] = {}
        """Runs in memory by the planned time that they stand for."""
        self.parked: list[tuple[int, Cell]] = []
        """Ready cells, with their tickets, that wait for the DAG to be unpaused or active again."""
        self.task_gates: dict[int, Gate] = {}
        """By task number: max_active_tis_per_dag."""
        self.past: list[Run] = []
        """Runs in order, ended ones included that a later run may look back at; only when a task uses the past."""

    @property
    def held(self) -> str | None:
        """Why none of its tasks may start now, or None."""
        if self.record.paused:
            return "the DAG is paused"
        if not self.record.active:
            return "the DAG is no longer in any file"
        return None


def run_gate(graph: Graph) -> Gate:
    """A new gate for max_active_tasks of one run."""
    limit = graph.spec.max_active_tasks
    return Gate(limit, f"max_active_tasks={limit} of the run")
