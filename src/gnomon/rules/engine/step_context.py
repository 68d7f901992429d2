"""The context of one step: its arguments, its result so far, and the worklists of what is still to evaluate."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from gnomon.model.attempts import Attempt, AttemptResult
from gnomon.model.instance_mutation import MutationQuestion
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, EventRecord
from gnomon.model.run_waits import UpstreamUpdate
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.state.task_instance import Dag, DagRun, TaskInstance


@dataclass(slots=True, frozen=True)
class CancelOrder:
    """An attempt that its worker is to end, with the reason for its log."""

    worker_id: str
    attempt_id: str
    reason: str


class Admission(NamedTuple):
    """A task instance that this step admitted, and its fields from before the admission."""

    task_instance: TaskInstance
    state: TaskInstanceState | None
    try_number: int
    reason: str | None
    resume_at: Instant | None
    started_at: Instant | None
    xcoms: list[AttemptResult] | None
    """None: the admission deleted no XComs. A list: it did, and it removed these results of the same step from the changes."""


class StepResult(msgspec.Struct):
    """The outcome of one step: the caller commits `changes` in one transaction, then does the rest."""

    changes: Changes
    changed_instances: Mapping[TaskInstance, None]
    """The task instances that this step changed: those of `changes.tasks`, if rows are wanted."""
    ended_runs: list[DagRun] = msgspec.field(default_factory=list)
    """The runs that have ended in this step, or were changed after their end; they are no longer in memory."""
    submits: dict[str, list[Attempt]] = msgspec.field(default_factory=dict)
    """By worker id."""
    admissions: list[Admission] = msgspec.field(default_factory=list)
    cancels: list[CancelOrder] = msgspec.field(default_factory=list)
    acknowledges: dict[str, list[str]] = msgspec.field(default_factory=dict)
    """Worker id to the attempt ids whose results are stored once the changes are committed."""
    touched_groups: set[int] = msgspec.field(default_factory=set)
    """Groups that this step changed in memory."""
    plannable_dags: set[int] = msgspec.field(default_factory=set)
    """DAGs (dag_pk) for which planning may create another run now."""
    failing_dags: set[int] = msgspec.field(default_factory=set)
    """DAGs (dag_pk) with `max_consecutive_failed_dag_runs` of which a run failed in this step."""
    followed_runs: list[DagRun] = msgspec.field(default_factory=list)
    """Runs that this step started and whose tasks a `Follower` follows."""
    followed_tasks: list[tuple[DagRun, str]] = msgspec.field(default_factory=list)
    """Tasks, by id, that have succeeded in runs that a `Follower` follows, and for which other DAGs may wait."""
    followed_attempts: int = 0
    """Attempts of runs that ended in this step and that a `Follower` followed."""
    unresolved_edges: dict[tuple[int, int], None] = msgspec.field(default_factory=dict)
    """(run_pk, edge_no) of edges whose upstream slots are not known yet; a `SlotsResolved` event answers each of them."""
    unresolved_deadlines: list[tuple[int, int]] = msgspec.field(default_factory=list)
    """(run_pk, deadline_no) of deadlines that need the durations of ended runs; a `DeadlineResolved` event answers each of them."""
    mutation_questions: list[MutationQuestion] = msgspec.field(default_factory=list)
    """Questions to `task_instance_mutation_hook`; an `InstancesMutated` event answers each instance of them."""
    deleted_runs: list[int] = msgspec.field(default_factory=list)
    """Runs (run_pk) whose rows this step's transaction deletes."""
    deleted_dags: list[int] = msgspec.field(default_factory=list)
    """DAGs (dag_pk) whose rows this step's transaction deletes."""
    wake_at: Instant | None = None
    """When to step again even without an event; `now` if this step reached one of its bounds; None: no timer is set."""


class StepContext:
    """The working state of one step: handlers add to it, `step` works it off."""

    __slots__ = (
        "changes",
        "current_dag",
        "dirty_instances",
        "dirty_runs",
        "engine_state",
        "has_more_work",
        "keeps_rows",
        "new_id",
        "newly_ready",
        "now",
        "outbox",
        "pending_evaluations",
        "possibly_done_runs",
        "result",
        "startable_dags",
        "started_count",
        "stored_run_states",
        "unasked_instances",
        "updates",
    )

    def __init__(
        self, engine_state: EngineState, now: Instant, new_id: Callable[[], str], *, keeps_rows: bool = True
    ) -> None:
        """`keeps_rows` False: nobody stores the changes, and rows that no decision reads are not built."""
        self.engine_state = engine_state
        self.now = now
        self.new_id = new_id
        self.keeps_rows = keeps_rows
        self.changes = Changes()
        self.dirty_instances: dict[TaskInstance, None] = {}
        self.result = StepResult(self.changes, self.dirty_instances)
        self.dirty_runs: dict[DagRun, None] = {}
        self.stored_run_states: dict[DagRun, DagRunState] = {}
        """The states, before this step, of the runs whose state it changed."""
        self.pending_evaluations: deque[tuple[DagRun, int, range | None]] = deque()
        """Tasks (run and task index) whose rules are to be evaluated; a range: only the instances with these map indices."""
        self.newly_ready: dict[TaskInstance, None] = {}
        """Task instances that became ready in this step and are not admitted yet."""
        self.unasked_instances: dict[TaskInstance, None] = {}
        """Ready task instances about which `task_instance_mutation_hook` is to be asked after this step."""
        self.startable_dags: dict[Dag, None] = {}
        """DAGs whose queued runs may be able to start."""
        self.possibly_done_runs: dict[DagRun, None] = {}
        """Runs that may have no unfinished task instance left."""
        self.updates: deque[UpstreamUpdate] = deque()
        """Updates of upstream slots for runs of this owner; applied before the step ends."""
        self.outbox: dict[int, list[UpstreamUpdate]] = {}
        """Updates of upstream slots for runs of other owners, by their group; sent as mail."""
        self.has_more_work = False
        """The step reached one of its bounds: the next step follows at once."""
        self.started_count = 0
        """Task instances of the runs that this step started."""
        self.current_dag: Dag | None = None
        """The DAG that is being processed, for the error message if the step fails."""

    @property
    def unsettled(self) -> bool:
        """True while a task is to be evaluated, a run to be ended or started, or an update to be applied."""
        return bool(self.pending_evaluations or self.possibly_done_runs or self.startable_dags or self.updates)

    def mark_dirty(self, ti: TaskInstance) -> None:
        """Write the row of the instance with this step."""
        self.dirty_instances[ti] = None

    def mark_run_dirty(self, run: DagRun) -> None:
        """Write the row of the run with this step."""
        self.dirty_runs[run] = None

    def enqueue_evaluation(self, run: DagRun, index: int, map_indices: range | None = None) -> None:
        """Evaluate the instances of the task with this index before the step ends; `map_indices`: only those."""
        self.pending_evaluations.append((run, index, map_indices))

    def set_run_state(self, run: DagRun, state: DagRunState) -> None:
        """Change the run's state and the DAG's tallies with it."""
        self._move_tally(run, run.record.state, state)
        self.stored_run_states.setdefault(run, run.record.state)
        run.record.state = state
        run.generation += 1
        run.is_due_timer_set = False
        run.facts = None
        self.mark_run_dirty(run)

    def drop_run(self, run: DagRun) -> None:
        """Write no row of the run with this step, which deletes it: the number of runs is counted off in the state that its row has."""
        self.dirty_runs.pop(run, None)
        stored = self.stored_run_states.pop(run, None)
        if stored is not None:
            self._move_tally(run, run.record.state, stored)

    def _move_tally(self, run: DagRun, before: DagRunState, after: DagRunState) -> None:
        tallies, dag_pk = self.changes.tallies, run.record.dag_pk
        for key, count in (((dag_pk, before), -1), ((dag_pk, after), 1)):
            tallies[key] = tallies.get(key, 0) + count

    def delete_xcoms(self, ti: TaskInstance) -> list[AttemptResult]:
        """Delete the XComs of the task instance. Returns the results of this step that are not stored for that reason."""
        key, results = ti.key(), self.changes.results
        ti.return_length = None
        self.changes.xcom_clears.append(key)
        deleted_results = [result for result in results if (result.run_pk, result.task_no, result.map_index) == key]
        if deleted_results:
            self.changes.results = [
                result for result in results if (result.run_pk, result.task_no, result.map_index) != key
            ]
        return deleted_results

    def add_audit_event(
        self,
        kind: str,
        *,
        run: DagRun | None = None,
        ti: TaskInstance | None = None,
        by: str = "scheduler",
        body: str = "",
        address: str | None = None,
    ) -> None:
        """Add a line to the audit log. `address`: from where a user asked for it."""
        if not self.keeps_rows:
            return
        run = ti.run if ti is not None else run
        self.changes.events.append(
            EventRecord(
                at=self.now,
                kind=kind,
                dag_pk=run.record.dag_pk if run else None,
                run_pk=run.pk if run else None,
                task_no=ti.run.graph.numbers[ti.index] if ti else None,
                map_index=ti.map_index if ti else -1,
                by=by,
                body=body,
                address=address,
            )
        )
