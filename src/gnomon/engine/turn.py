"""One step under way: what it reads, what it has decided so far, and the worklist that carries a decision onward."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from gnomon.engine.cells import Cell, Dag, Run
from gnomon.engine.memory import Memory
from gnomon.model.facts import Attempt, AttemptResult
from gnomon.model.instants import Instant
from gnomon.model.records import Changes, EventRecord
from gnomon.model.runwaits import Heard
from gnomon.model.states import DagRunState, TaskInstanceState


@dataclass(slots=True, frozen=True)
class CancelOrder:
    """End this attempt on its worker."""

    worker_id: str
    attempt_id: str
    reason: str


class Admitted(NamedTuple):
    """A cell that this step gave an attempt, and what it was before."""

    cell: Cell
    state: TaskInstanceState | None
    try_number: int
    reason: str | None
    resume_at: Instant | None
    started_at: Instant | None
    xcoms: list[AttemptResult] | None
    """None: the admission deleted no XComs. Else it did, and the step would have stored these results without it."""


@dataclass(slots=True)
class Step:
    """The outcome of one step: write `changes` in one transaction, then do the rest."""

    changes: Changes
    submits: dict[str, list[Attempt]] = field(default_factory=dict)
    """By worker."""
    admitted: list[Admitted] = field(default_factory=list)
    cancels: list[CancelOrder] = field(default_factory=list)
    acknowledges: dict[str, list[str]] = field(default_factory=dict)
    """Worker to the results that the store has once the changes are written."""
    groups: set[int] = field(default_factory=set)
    """Groups whose memory this step touched."""
    plannable: set[int] = field(default_factory=set)
    """DAGs (dag_pk) that may have room for another run now."""
    failing: set[int] = field(default_factory=set)
    """DAGs (dag_pk) of which a run failed, and which may have so many failures one after the other and no more."""
    unresolved: dict[tuple[int, int], None] = field(default_factory=dict)
    """(run_pk, edge_no) of edges whose slots are to be found: each is answered by a `SlotsFound`, now or later."""
    deleted_runs: list[int] = field(default_factory=list)
    """Runs (run_pk) whose rows go with this step's transaction."""
    deleted_dags: list[int] = field(default_factory=list)
    wake_at: Instant | None = None
    """When to step again without any event; `now` when there is more to do at once."""


class Turn:
    """The working state of one step."""

    __slots__ = ("again", "begun", "changes", "dirty", "dirty_runs", "emptied", "letters", "memory", "new_id", "news", "now",
                 "placed", "startable", "step", "subject", "work")

    def __init__(self, memory: Memory, now: Instant, new_id: Callable[[], str]) -> None:
        self.memory = memory
        self.now = now
        self.new_id = new_id
        self.changes = Changes()
        self.step = Step(self.changes)
        self.dirty: dict[Cell, None] = {}
        self.dirty_runs: dict[Run, None] = {}
        self.work: deque[tuple[Run, int]] = deque()
        """Tasks (by run and index) whose rules are to be judged again."""
        self.placed: dict[Cell, None] = {}
        """Cells that became ready in this step."""
        self.startable: dict[Dag, None] = {}
        """DAGs whose queued runs may start."""
        self.emptied: dict[Run, None] = {}
        """Runs that may have nothing unfinished left."""
        self.news: deque[Heard] = deque()
        """What runs of this owner are to hear of their upstreams before the step ends."""
        self.letters: dict[int, list[Heard]] = {}
        """The same for runs of other owners, by group."""
        self.again = False
        self.begun = 0
        """Task instances of the runs that this step has started."""
        self.subject: Dag | None = None
        """Whose business this step is at: whom to name if it fails."""

    @property
    def unsettled(self) -> bool:
        """Something is left to judge, to end, to start or to hear."""
        return bool(self.work or self.emptied or self.startable or self.news)

    def touch(self, cell: Cell) -> None:
        """The cell's row is to be written."""
        self.dirty[cell] = None

    def touch_run(self, run: Run) -> None:
        """The run's row is to be written."""
        self.dirty_runs[run] = None

    def judge_later(self, run: Run, index: int) -> None:
        """Judge this task's instances before the step ends."""
        self.work.append((run, index))

    def set_run_state(self, run: Run, state: DagRunState) -> None:
        """Change the run's state and the DAG's tallies with it."""
        tallies, dag_pk = self.changes.tallies, run.record.dag_pk
        for key, count in (((dag_pk, run.record.state), -1), ((dag_pk, state), 1)):
            tallies[key] = tallies.get(key, 0) + count
        run.record.state = state
        run.ticket += 1
        run.due_called = False
        run.facts = None
        self.touch_run(run)

    def forget_xcoms(self, cell: Cell) -> list[AttemptResult]:
        """Delete what the task instance has pushed so far. Returns the results of this step that are not stored for that reason."""
        key, results = cell.key(), self.changes.results
        self.changes.xcom_clears.append(key)
        forgotten = [one for one in results if (one.run_pk, one.task_no, one.map_index) == key]
        if forgotten:
            self.changes.results = [one for one in results if (one.run_pk, one.task_no, one.map_index) != key]
        return forgotten

    def log(self, kind: str, *, run: Run | None = None, cell: Cell | None = None, by: str = "scheduler", body: str = "") -> None:
        """Add a line to the audit log."""
        run = cell.run if cell is not None else run
        self.changes.events.append(
            EventRecord(
                at=self.now, kind=kind, dag_pk=run.record.dag_pk if run else None, run_pk=run.pk if run else None,
                task_no=cell.run.graph.numbers[cell.index] if cell else None,
                map_index=cell.map_index if cell else -1, by=by, body=body,
            )
        )
