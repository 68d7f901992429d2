"""What runs now, what waits and why, and what is late, read in a few statements that use the indexes of unfinished runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gnomon.engine.state.engine_state import EngineLimits
from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import RunRecord
from gnomon.model.states import DagRunState
from gnomon.report.activity.usual_duration import find_p95
from gnomon.report.explanations.explanation import explain_waits
from gnomon.report.listings.dag_list import find_dag
from gnomon.report.listings.process_health import ProcessRow, read_health
from gnomon.store import Transaction
from gnomon.store.dag_records import dag_files, dag_runs, run_listing
from gnomon.store.dag_records.run_listing import NamedRun

RUNS_MAX = 500
"""Unfinished runs that are looked at; of more, the newest."""
EXPLAINED_MAX = 2000
"""With more unfinished runs no reasons are read: the rules would need all of them in memory."""
LATE_AFTER_S = 10.0
"""A run that does not exist so long after it was due is late."""
_LISTED_MAX = 200


@dataclass(frozen=True, slots=True)
class RunningTask:
    """A task instance that is with a worker."""

    dag_id: str
    run_id: str
    task: str
    """Task id, with the map index in brackets if it has one."""
    state: str
    try_number: int
    since: str | None
    """The start of the try; None while it has not begun."""
    worker: str | None


@dataclass(frozen=True, slots=True)
class WaitingRun:
    """A run that waits, or with tasks that wait."""

    dag_id: str
    run_id: str
    state: str
    since: str | None
    reasons: list[str]
    """Sentences of `gnomon explain`; empty when they were not read."""


@dataclass(frozen=True, slots=True)
class LateRun:
    """A run that should exist, or should have ended."""

    dag_id: str
    run_id: str | None
    """None: it has not been created."""
    why: str


@dataclass(frozen=True, slots=True)
class CurrentWork:
    """The work of all DAGs at one instant."""

    at: str | None
    runs: dict[str, int]
    """The number of unfinished runs in each state."""
    processes: list[ProcessRow]
    import_errors: int
    late: list[LateRun]
    running: list[RunningTask]
    waiting: list[WaitingRun]


@dataclass(slots=True)
class DagFacts:
    """What changes rarely: how long runs of a DAG usually take, and the names of its tasks. Kept between two reads of the same view."""

    p95: dict[int, Instant | None] = field(default_factory=dict)
    """By dag_pk; None for a DAG with too few successful runs."""
    task_ids: dict[str, dict[int, str]] = field(default_factory=dict)
    """By DAG id and number of the task."""

    def find_task_id(self, tx: Transaction, dag_id: str, task_no: int) -> str:
        """The id of the task; the DAG is read when the number is not known yet."""
        if task_no not in self.task_ids.get(dag_id, {}):
            self.task_ids[dag_id] = {number: task_id for task_id, number in find_dag(tx, dag_id).task_numbers.items()}
        return self.task_ids[dag_id].get(task_no, f"task {task_no}")

    def find_p95(self, tx: Transaction, dag_pk: int) -> Instant | None:
        """The duration in microseconds that 95 of 100 of the last successful runs of the DAG did not exceed."""
        if dag_pk not in self.p95:
            self.p95[dag_pk] = find_p95(tx, dag_pk)
        return self.p95[dag_pk]


def read_current_work(tx: Transaction, limits: EngineLimits, now: Instant, facts: DagFacts, *, explains: bool = True) -> CurrentWork:
    """The work now. `explains`: also the reasons of what waits, which loads the unfinished runs as a scheduler does."""
    totals = dag_runs.read_total_run_counts(tx)
    counts = {state.value: totals.get(state, 0) for state in (DagRunState.RUNNING, DagRunState.QUEUED)}
    unfinished = run_listing.list_unfinished_of_all(tx, RUNS_MAX)
    is_explained = explains and sum(counts.values()) <= EXPLAINED_MAX
    reasons = explain_waits(tx, [named.run for named in unfinished], limits, now) if is_explained and unfinished else None
    return CurrentWork(
        at=iso(now), runs=counts, processes=read_health(tx).processes, import_errors=len(dag_files.list_import_errors(tx)),
        late=_list_late(tx, unfinished, now, facts), running=_list_running(tx, unfinished, facts), waiting=_list_waiting(unfinished, reasons),
    )  # fmt: skip


def _list_running(tx: Transaction, unfinished: Sequence[NamedRun], facts: DagFacts) -> list[RunningTask]:
    by_pk = {named.run.run_pk: named for named in unfinished if named.run.state is DagRunState.RUNNING}
    live = run_listing.list_live_tasks(tx, list(by_pk), _LISTED_MAX) if by_pk else []
    rows = []
    for task in live:
        named = by_pk[task.run_pk]
        task_id = facts.find_task_id(tx, named.dag_id, task.task_no)
        name = task_id if task.map_index < 0 else f"{task_id}[{task.map_index}]"
        state = "" if task.state is None else task.state.value
        rows.append(RunningTask(named.dag_id, named.run.run_id, name, state, task.try_number, iso(task.started_at), task.worker))
    return rows


def _list_waiting(unfinished: Sequence[NamedRun], reasons: Mapping[int, list[str]] | None) -> list[WaitingRun]:
    """The runs that wait longest first; without reasons only those that are queued."""
    rows = []
    for named in sorted(unfinished, key=lambda named: named.run.queued_at):
        run = named.run
        why = [] if reasons is None else reasons.get(run.run_pk, [])
        if why or run.state is DagRunState.QUEUED:
            since = run.queued_at if run.state is DagRunState.QUEUED else run.started_at
            rows.append(WaitingRun(named.dag_id, run.run_id, run.state.value, iso(since), why))
    return rows[:_LISTED_MAX]


def _list_late(tx: Transaction, unfinished: Sequence[NamedRun], now: Instant, facts: DagFacts) -> list[LateRun]:
    overdue = run_listing.list_overdue_dags(tx, now - int(LATE_AFTER_S * SECOND), _LISTED_MAX)
    rows = [LateRun(dag_id, None, f"the run due at {iso(due_at)} has not been created; `gnomon explain {dag_id}` says why") for dag_id, due_at in overdue]
    for named in unfinished:
        usual = facts.find_p95(tx, named.run.dag_pk) if _can_be_slow(named.run) else None
        started_at = named.run.started_at
        if usual is not None and started_at is not None and now - started_at > max(usual, SECOND):
            rows.append(LateRun(named.dag_id, named.run.run_id, f"it has run for {_seconds(now - started_at)}; 95 of 100 runs take at most {_seconds(usual)}"))
    return rows[:_LISTED_MAX]


def _can_be_slow(run: RunRecord) -> bool:
    return run.state is DagRunState.RUNNING and run.started_at is not None


def _seconds(length: Instant) -> str:
    return f"{length / SECOND:.0f} s"
