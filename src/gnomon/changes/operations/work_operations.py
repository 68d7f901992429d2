"""The last runs of a DAG as a grid; what runs, waits and is late now; the processes; the settings of the deployment that commands need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.instants import Instant
from gnomon.model.sentences import render
from gnomon.queries.report.activity.current_work import DagFacts, LateRun, RunningTask, WaitingRun, read_current_work
from gnomon.queries.report.listings.dag_list import find_dag
from gnomon.queries.report.listings.process_health import ProcessRow
from gnomon.queries.report.listings.run_grid import read_run_grid


@dataclass(frozen=True, slots=True)
class GridColumn:
    """A run of a grid."""

    run_id: str
    state: str
    run_after: Instant
    reason: str | None


@dataclass(frozen=True, slots=True)
class GridCount:
    """The number of task instances in a state; the state None: without a state."""

    state: str | None
    count: int


@dataclass(frozen=True, slots=True)
class GridLine:
    """A task of a grid: for each run the states of its task instances."""

    task_id: str
    states: list[list[GridCount]]


@dataclass(frozen=True, slots=True)
class GridTable:
    """The runs, oldest first, and the tasks in topological order; tasks that the DAG no longer has come last."""

    dag_id: str
    runs: list[GridColumn]
    tasks: list[GridLine]


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """A run that waits, or with tasks that wait."""

    dag_id: str
    run_id: str
    state: str
    since: str | None
    reasons: list[str]


@dataclass(frozen=True, slots=True)
class LateRow:
    """A run that should exist, or should have ended; `run_id` None: it has not been created."""

    dag_id: str
    run_id: str | None
    why: str
    late_since: str | None


@dataclass(frozen=True, slots=True)
class WorkTable:
    """`CurrentWork` with its sentences in English."""

    at: str | None
    runs: dict[str, int]
    processes: list[ProcessRow]
    import_errors: int
    late: list[LateRow]
    running: list[RunningTask]
    waiting: list[WaitingRow]


@dataclass(frozen=True, slots=True)
class DeploymentSettings:
    """`default_timezone`: of dates without an offset."""

    default_timezone: str


@operation("grid.longest_task_id", "read", "task instance")
def measure_task_ids(scope: OperationScope, dag_id: str) -> int:
    """The length of the longest task id of the DAG, on which the number of runs depends that fit a terminal."""
    with scope.db.read() as tx:
        return max((len(task.task_id) for task in find_dag(tx, dag_id).spec.tasks), default=0)


@operation("grid.read", "read", "task instance")
def read_grid(scope: OperationScope, dag_id: str, count: int) -> GridTable:
    """The newest `count` runs of the DAG with the states of their tasks."""
    with scope.db.read() as tx:
        grid = read_run_grid(tx, find_dag(tx, dag_id), min(max(count, 1), GRID_RUNS_MAX))
        hide = scope.dags.build_name_filter(tx)
    runs = [
        GridColumn(run.run_id, run.state.value, run.run_after, None if run.reason is None else hide(run.reason))
        for run in grid.runs
    ]
    return GridTable(
        grid.dag_id,
        runs,
        [
            GridLine(
                task.task_id, [[GridCount(state, count) for state, count in states.items()] for states in task.states]
            )
            for task in grid.tasks
        ],
    )


GRID_RUNS_MAX = 1000


@operation("work.read", "read", "task instance")
def read_work(scope: OperationScope, explains: bool = True) -> WorkTable:
    """What runs, waits and is late now; without `explains`, no reasons of what waits."""
    with scope.db.read() as tx:
        work = read_current_work(tx, scope.limits, scope.actor.clock.now(), scope.keep(DagFacts), explains=explains)
        sees_all, hide = scope.dags.sees_all(tx), scope.dags.build_name_filter(tx)
        return WorkTable(
            at=work.at,
            runs=work.runs if sees_all else {},
            processes=work.processes if sees_all else [],
            import_errors=work.import_errors if sees_all else 0,
            late=[_build_late(row, hide) for row in scope.select(tx, work.late, lambda row: row.dag_id)],
            running=scope.select(tx, work.running, lambda row: row.dag_id),
            waiting=[_build_waiting(row, hide) for row in scope.select(tx, work.waiting, lambda row: row.dag_id)],
        )


def _build_waiting(row: WaitingRun, hide: Callable[[str], str]) -> WaitingRow:
    reasons = [hide(render(reason)) for reason in row.reasons]
    return WaitingRow(row.dag_id, row.run_id, row.state, row.since, reasons)


def _build_late(row: LateRun, hide: Callable[[str], str]) -> LateRow:
    return LateRow(row.dag_id, row.run_id, hide(render(row.why)), row.late_since)


@operation("settings.read", "read", "DAG")
def read_settings(scope: OperationScope) -> DeploymentSettings:
    """The options of the deployment on which the meaning of arguments depends."""
    return DeploymentSettings(scope.actor.cfg.text("core", "default_timezone"))
