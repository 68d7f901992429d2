"""What runs now, what waits and why, and what is late, read in a few statements that use the indexes of unfinished runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gnomon.model.instants import SECOND, Instant, iso
from gnomon.model.records import RunRecord
from gnomon.model.sentences import Command, Sentence, say
from gnomon.model.states import DagRunState
from gnomon.queries.report.activity.usual_duration import find_p95_of_dags
from gnomon.queries.report.explanations.run_explanation import explain_waits
from gnomon.queries.report.listings.process_health import ProcessRow, read_health
from gnomon.rules.engine.state.engine_state import EngineLimits, KeptGraphs
from gnomon.storage.store import Transaction
from gnomon.storage.store.dag_records import dag_runs, run_listing
from gnomon.storage.store.dag_records.run_listing import NamedRun
from gnomon.storage.store.ownership import group_state
from gnomon.storage.store.parsed_files import dag_files

RUNS_MAX = 500
"""Unfinished runs that are looked at; of more, the newest."""
OVERDUE_READ_MAX = 10_000
"""Overdue DAGs that are read to find those of some DAGs."""
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
    reasons: list[Sentence]
    """Those of `gnomon explain`; empty when they were not read."""


@dataclass(frozen=True, slots=True)
class LateRun:
    """A run that should exist, or should have ended."""

    dag_id: str
    run_id: str | None
    """None: it has not been created."""
    why: Sentence
    late_since: str | None
    """When it should have been created, or should have ended."""


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
    task_ids: dict[int, dict[int, str]] = field(default_factory=dict)
    """By dag_pk and number of the task."""
    graphs: KeptGraphs = field(default_factory=dict)
    """Of the DAGs with unfinished runs."""

    def load_task_ids(self, tx: Transaction, tasks: Iterable[tuple[int, int]]) -> None:
        """Read the ids of these tasks, given by dag_pk and number, if they are not known yet: in one statement for all DAGs."""
        lacking = sorted({dag_pk for dag_pk, task_no in tasks if task_no not in self.task_ids.get(dag_pk, ())})
        for dag_pk, numbers in group_state.load_task_numbers(tx, lacking).items():
            self.task_ids[dag_pk] = {number: task_id for task_id, number in numbers.items()}

    def name_task(self, dag_pk: int, task_no: int) -> str:
        """The id of a task of which `load_task_ids` has been told."""
        return self.task_ids.get(dag_pk, {}).get(task_no, f"task {task_no}")

    def load_p95(self, tx: Transaction, dag_pks: Iterable[int]) -> None:
        """Read how long runs of these DAGs take, if it is not known yet: in one statement for all DAGs."""
        self.p95.update(find_p95_of_dags(tx, sorted({dag_pk for dag_pk in dag_pks if dag_pk not in self.p95})))

    def find_p95(self, tx: Transaction, dag_pk: int) -> Instant | None:
        """The duration in microseconds that 95 of 100 of the last successful runs of the DAG did not exceed."""
        self.load_p95(tx, (dag_pk,))
        return self.p95[dag_pk]


def read_current_work(
    tx: Transaction,
    limits: EngineLimits,
    now: Instant,
    facts: DagFacts,
    *,
    explains: bool = True,
    dag_ids: Collection[str] | None = None,
) -> CurrentWork:
    """The work now. `explains`: also the reasons of what waits, which loads the unfinished runs as a scheduler does. `dag_ids`: only that of these DAGs; the numbers are of all."""
    unfinished = run_listing.list_unfinished_of_all(tx, RUNS_MAX, dag_ids)
    is_complete = dag_ids is None and len(unfinished) < RUNS_MAX
    totals = Counter(named.run.state for named in unfinished) if is_complete else dag_runs.read_total_run_counts(tx)
    counts = {state.value: totals.get(state, 0) for state in (DagRunState.RUNNING, DagRunState.QUEUED)}
    is_explained = explains and sum(counts.values()) <= EXPLAINED_MAX
    by_wait = sorted(unfinished, key=lambda named: named.run.queued_at)
    reasons = (
        explain_waits(tx, [named.run for named in by_wait], _LISTED_MAX, limits, now, facts.graphs)
        if is_explained and unfinished
        else None
    )
    return CurrentWork(
        at=iso(now),
        runs=counts,
        processes=read_health(tx).processes,
        import_errors=len(dag_files.list_import_errors(tx)),
        late=_list_late(tx, unfinished, now, facts, dag_ids),
        running=_list_running(tx, unfinished, facts),
        waiting=_list_waiting(by_wait, reasons),
    )


def _list_running(tx: Transaction, unfinished: Sequence[NamedRun], facts: DagFacts) -> list[RunningTask]:
    by_pk = {named.run.run_pk: named for named in unfinished if named.run.state is DagRunState.RUNNING}
    live = run_listing.list_live_tasks(tx, list(by_pk), _LISTED_MAX) if by_pk else []
    facts.load_task_ids(tx, [(by_pk[task.run_pk].run.dag_pk, task.task_no) for task in live])
    rows = []
    for task in live:
        named = by_pk[task.run_pk]
        task_id = facts.name_task(named.run.dag_pk, task.task_no)
        name = task_id if task.map_index < 0 else f"{task_id}[{task.map_index}]"
        state = "" if task.state is None else task.state.value
        rows.append(
            RunningTask(named.dag_id, named.run.run_id, name, state, task.try_number, iso(task.started_at), task.worker)
        )
    return rows


def _list_waiting(unfinished: Sequence[NamedRun], reasons: Mapping[int, list[Sentence]] | None) -> list[WaitingRun]:
    """The runs that wait, in the order given, which is that of their queueing; without reasons only those that are queued."""
    rows = []
    for named in unfinished:
        run = named.run
        why = [] if reasons is None else reasons.get(run.run_pk, [])
        if why or run.state is DagRunState.QUEUED:
            since = run.queued_at if run.state is DagRunState.QUEUED else run.started_at
            rows.append(WaitingRun(named.dag_id, run.run_id, run.state.value, iso(since), why))
    return rows[:_LISTED_MAX]


def _list_late(
    tx: Transaction, unfinished: Sequence[NamedRun], now: Instant, facts: DagFacts, dag_ids: Collection[str] | None
) -> list[LateRun]:
    overdue = run_listing.list_overdue_dags(
        tx, now - int(LATE_AFTER_S * SECOND), _LISTED_MAX if dag_ids is None else OVERDUE_READ_MAX
    )
    overdue = [(dag_id, due_at) for dag_id, due_at in overdue if dag_ids is None or dag_id in dag_ids][:_LISTED_MAX]
    rows = [
        LateRun(
            dag_id,
            None,
            say("due_run_is_not_created", at=due_at, command=Command("explain", (dag_id,))),
            iso(due_at),
        )
        for dag_id, due_at in overdue
    ]
    facts.load_p95(tx, [named.run.dag_pk for named in unfinished if _may_be_slow(named.run)])
    for named in unfinished:
        since = find_slow_since(tx, named.run, now, facts)
        started_at = named.run.started_at
        if since is not None and started_at is not None:
            why = say("run_is_slow", duration=_to_seconds(now - started_at), usual=_to_seconds(since - started_at))
            rows.append(LateRun(named.dag_id, named.run.run_id, why, iso(since)))
    return rows[:_LISTED_MAX]


def find_slow_since(tx: Transaction, run: RunRecord, now: Instant, facts: DagFacts) -> Instant | None:
    """When the run should have ended, by how long runs of its DAG usually take; None when it does not run or is not slow."""
    if run.started_at is None or not _may_be_slow(run):
        return None
    usual = facts.find_p95(tx, run.dag_pk)
    return None if usual is None or now - run.started_at <= max(usual, SECOND) else run.started_at + usual


def _may_be_slow(run: RunRecord) -> bool:
    return run.state is DagRunState.RUNNING and run.started_at is not None


def _to_seconds(length: Instant) -> int:
    return round(length / SECOND)
