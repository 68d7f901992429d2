"""The DAGs of which runs failed in a time: those that are still broken, and those that a later success has healed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from gnomon.model.instants import Instant, iso
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.storage.store import Transaction
from gnomon.storage.store.pages import dag_overview
from gnomon.storage.store.pages.dag_overview import EndedTask, FailedRun

FAILED_RUNS_MAX = 5_000
"""The most failed runs that are looked at, those that ended last."""
TASKS_MAX = 3
"""The most failed tasks that are named for a run."""
RUNS_MAX = 5
"""The most failed runs of a DAG that are named."""
ERROR_MAX = 300
"""The most characters of an error."""


@dataclass(frozen=True, slots=True)
class RunFailure:
    """A failed run, with the tasks that failed in it."""

    run_id: str
    run_after: str | None
    ended_at: str | None
    reason: str | None
    tasks: list[EndedTask]
    """The first of them, each with the first line of its error."""
    failed_tasks: int
    """The number of all."""


@dataclass(frozen=True, slots=True)
class FailedDag:
    """A DAG of which a run failed."""

    dag_id: str
    runs: int
    """How many of its runs failed in the time."""
    failures: list[RunFailure]
    """At most RUNS_MAX of these runs, the one that ended last first."""
    is_broken: bool
    """The newest finished run of the DAG failed."""
    healed_by: str | None
    """The id of a later run that succeeded; None while the DAG is broken."""


@dataclass(frozen=True, slots=True)
class FailedDags:
    """The DAGs, the failure that ended last first."""

    dags: list[FailedDag]
    is_complete: bool
    """False: there are more than FAILED_RUNS_MAX failed runs."""
    left_out: int
    """DAGs that are not listed."""


def list_failed_dags(tx: Transaction, since: Instant, is_visible: Callable[[str], bool], limit: int) -> FailedDags:
    """The visible DAGs of which a run ended failed at `since` or later, those that are still broken first, at most `limit`."""
    runs = dag_overview.list_failed_runs(tx, since, FAILED_RUNS_MAX)
    by_dag: dict[int, list[FailedRun]] = {}
    for run in runs:
        if is_visible(run.dag_id):
            by_dag.setdefault(run.dag_pk, []).append(run)
    last = dag_overview.list_last_finished(tx, list(by_dag))
    is_broken = {dag_pk: dag_pk not in last or last[dag_pk].state is DagRunState.FAILED for dag_pk in by_dag}
    chosen = sorted(by_dag, key=lambda dag_pk: (not is_broken[dag_pk], -by_dag[dag_pk][0].ended_at))[:limit]
    named = {dag_pk: by_dag[dag_pk][:RUNS_MAX] for dag_pk in chosen}
    tasks = dag_overview.list_first_instances(
        tx, [run.run_pk for some in named.values() for run in some], TaskInstanceState.FAILED, TASKS_MAX
    )
    rows = []
    for dag_pk in chosen:
        healed_by = None if is_broken[dag_pk] else last[dag_pk].run_id
        failures = [_describe(run, *tasks.get(run.run_pk, ([], 0))) for run in named[dag_pk]]
        rows.append(FailedDag(named[dag_pk][0].dag_id, len(by_dag[dag_pk]), failures, is_broken[dag_pk], healed_by))
    return FailedDags(rows, len(runs) < FAILED_RUNS_MAX, len(by_dag) - len(rows))


def _describe(run: FailedRun, tasks: Sequence[EndedTask], total: int) -> RunFailure:
    named = [replace(task, error=find_first_line(task.error)) for task in tasks]
    return RunFailure(run.run_id, iso(run.run_after), iso(run.ended_at), run.reason, named, total)


def find_first_line(error: str | None) -> str | None:
    """The first line of an error that says something, cut to ERROR_MAX characters."""
    line = next((line for line in map(str.strip, (error or "").splitlines()) if line), None)
    return line if line is None or len(line) <= ERROR_MAX else f"{line[:ERROR_MAX]}…"
