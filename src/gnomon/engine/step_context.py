"""One step under way: what it reads, what it has decided so far, and the worklist that carries a decision onward."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from gnomon.engine.state.engine_state import EngineState
from gnomon.engine.state.task_instance import Dag, DagRun, TaskInstance
from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, EventRecord
from gnomon.model.run_waits import UpstreamUpdate
from gnomon.model.states import DagRunState, TaskInstanceState


@dataclass(slots=True, frozen=True)
class CancelOrder:
    """End this attempt on its worker."""

    worker_id: str
    attempt_id: str
    reason: str


class Admission(NamedTuple):
    """A cell that this step gave an attempt, and what it was before."""

    task_instance: TaskInstance
    state: TaskInstanceState | None
    try_number: int
    reason: str | None
    resume_at: Instant | None
    started_at: Instant | None
    xcoms: list[AttemptResult] | None
    """None: the admission deleted no XComs. Else it did, and the step would have stored these results without it."""


@dataclass(slots=True)
class StepResult:
    """The outcome of one step: write `changes` in one transaction, then do the rest."""

    changes: Changes
    submits: dict[str, list[Attempt]] = field(default_factory=dict)
    """By worker."""
    admissions: list[Admission] = field(default_factory=list)
    cancels: list[CancelOrder] = field(default_factory=list)
    acknowledges: dict[str, list[str]] = field(default_factory=dict)
    """Worker to the results that the store has once the changes are written."""
    touched_groups: set[int] = field(default_factory=set)
    """Groups whose memory this step touched."""
    plannable_dags: set[int] = field(default_factory=set)
    """DAGs (dag_pk) that may have room for another run now."""
    failing_dags: set[int] = field(default_factory=set)
    """DAGs (dag_pk) of which a run failed, and which may have so many failures one after the other and no more."""
    unresolved_edges: dict[tuple[int, int], None] = field(default_factory=dict)
    """(run_pk, edge_no) of edges whose slots are to be found: each is answered by a `SlotsFound`, now or later."""
    deleted_runs: list[int] = field(default_factory=list)
    """Runs (run_pk) whose rows go with this step's transaction."""
    deleted_dags: list[int] = field(default_factory=list)
    wake_at: Instant | None = None
    """When to step again without any event; `now` when there is more to do at once."""


class StepContext:
    """The working state of one step."""

    __slots__ = (
        "changes",
        "current_dag",
        "dirty_instances",
        "dirty_runs",
        "has_more_work",
        "new_id",
        "newly_ready",
        "now",
        "outbox",
        "pending_evaluations",
        "possibly_done_runs",
        "result",
        "startable_dags",
        "started_count",
        "state",
        "updates",
    )

    def __init__(self, engine_state: EngineState, now: Instant, new_id: Callable[[], str]) -> None:
        self.state = engine_state
        self.now = now
        self.new_id = new_id
        self.changes = Changes()
        self.result = StepResult(self.changes)
        self.dirty_instances: dict[TaskInstance, None] = {}
        self.dirty_runs: dict[DagRun, None] = {}
        self.pending_evaluations: deque[tuple[DagRun, int]] = deque()
        """Tasks (by run and index) whose rules are to be judged again."""
        self.newly_ready: dict[TaskInstance, None] = {}
        """Cells that became ready in this step."""
        self.startable_dags: dict[Dag, None] = {}
        """DAGs whose queued runs may start."""
        self.possibly_done_runs: dict[DagRun, None] = {}
        """Runs that may have nothing unfinished left."""
        self.updates: deque[UpstreamUpdate] = deque()
        """What runs of this owner are to hear of their upstreams before the step ends."""
        self.outbox: dict[int, list[UpstreamUpdate]] = {}
        """The same for runs of other owners, by group."""
        self.has_more_work = False
        self.started_count = 0
        """Task instances of the runs that this step has started."""
        self.current_dag: Dag | None = None
        """Whose business this step is at: whom to name if it fails."""

    @property
    def unsettled(self) -> bool:
        """Something is left to judge, to end, to start or to hear."""
        return bool(self.pending_evaluations or self.possibly_done_runs or self.startable_dags or self.updates)

    def mark_dirty(self, ti: TaskInstance) -> None:
        """The cell's row is to be written."""
        self.dirty_instances[ti] = None

    def mark_run_dirty(self, run: DagRun) -> None:
        """The run's row is to be written."""
        self.dirty_runs[run] = None

    def enqueue_evaluation(self, run: DagRun, index: int) -> None:
        """Judge this task's instances before the step ends."""
        self.pending_evaluations.append((run, index))

    def set_run_state(self, run: DagRun, state: DagRunState) -> None:
        """Change the run's state and the DAG's tallies with it."""
        tallies, dag_pk = self.changes.tallies, run.record.dag_pk
        for key, count in (((dag_pk, run.record.state), -1), ((dag_pk, state), 1)):
            tallies[key] = tallies.get(key, 0) + count
        run.record.state = state
        run.generation += 1
        run.is_due_timer_set = False
        run.facts = None
        self.mark_run_dirty(run)

    def delete_xcoms(self, ti: TaskInstance) -> list[AttemptResult]:
        """Delete what the task instance has pushed so far. Returns the results of this step that are not stored for that reason."""
        key, results = ti.key(), self.changes.results
        self.changes.xcom_clears.append(key)
        deleted_results = [one for one in results if (one.run_pk, one.task_no, one.map_index) == key]
        if deleted_results:
            self.changes.results = [one for one in results if (one.run_pk, one.task_no, one.map_index) != key]
        return deleted_results

    def add_audit_event(self, kind: str, *, run: DagRun | None = None, ti: TaskInstance | None = None, by: str = "scheduler", body: str = "") -> None:
        """Add a line to the audit log."""
        run = ti.run if ti is not None else run
        self.changes.events.append(
            EventRecord(
                at=self.now, kind=kind, dag_pk=run.record.dag_pk if run else None, run_pk=run.pk if run else None,
                task_no=ti.run.graph.numbers[ti.index] if ti else None,
                map_index=ti.map_index if ti else -1, by=by, body=body,
            )
        )
