"""The auditor: it compares the records with the specs and the workers' diaries, and uses no code of the scheduler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from gnomon.model.instants import Instant
from gnomon.model.records import AttemptRecord, RunRecord, TaskRecord
from gnomon.model.spec import DagSpec
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S
from gnomon.testing.scripted import ScriptedWorker


def find_violations(
    specs: Mapping[int, DagSpec], runs: Sequence[tuple[str, RunRecord]], tasks: Mapping[int, Sequence[TaskRecord]],
    attempts: Sequence[AttemptRecord], workers: Iterable[ScriptedWorker], names: Mapping[tuple[str, int], str],
    due: Mapping[str, Sequence[Instant]], grants: Mapping[int, int] = MappingProxyType({}), clock_steps: bool = False,
) -> list[str]:
    """Every violation as a sentence; empty when there is none.

    `specs`: by version; a run is compared with its last version. `runs`: (dag id, run). `names`: (dag id, task number) to
    task id. `due`: DAG id to the instants of its expected scheduled runs. `grants`: run_pk to the number of times that users
    or new versions gave its tasks all tries again. `clock_steps`: instants of different tasks cannot be compared.
    """
    violations: list[str] = []
    violations += _check_runs_as_due(runs, due)
    violations += _check_everything_ended(runs, tasks, specs)
    violations += _check_starts(attempts, workers)
    by_run = {run.run_pk: (dag_id, run) for dag_id, run in runs}
    for run_pk, (dag_id, run) in by_run.items():
        violations += _check_states(
            _spec(specs, run), run, {names[dag_id, row.task_no]: row for row in tasks[run_pk]}, clock_steps
        )
    violations += _check_tries(attempts, by_run, specs, names, grants)
    return violations


def _spec(specs: Mapping[int, DagSpec], run: RunRecord) -> DagSpec:
    assert run.version_pk is not None, f"{run.run_id} has no version"
    return specs[run.version_pk]


def _check_runs_as_due(runs: Sequence[tuple[str, RunRecord]], due: Mapping[str, Sequence[Instant]]) -> list[str]:
    violations = []
    for dag_id, instants in due.items():
        made = Counter(run.run_after for other, run in runs if other == dag_id and run.run_type.value == "scheduled")
        violations += [f"{dag_id}: no run at {at}" for at in instants if made[at] == 0]
        violations += [f"{dag_id}: {count} runs at {at}" for at, count in made.items() if count > 1]
        violations += [f"{dag_id}: a run at {at}, which its timetable does not have" for at in made if at not in set(instants)]
    return violations


def _check_everything_ended(
    runs: Sequence[tuple[str, RunRecord]], tasks: Mapping[int, Sequence[TaskRecord]], specs: Mapping[int, DagSpec]
) -> list[str]:
    violations = []
    for dag_id, run in runs:
        if run.state not in FINISHED_RUN_STATES:
            violations.append(f"{dag_id} {run.run_id} is still {run.state}")
            continue
        open_rows = [row for row in tasks[run.run_pk] if row.state not in FINISHED_TASK_STATES]
        if open_rows or len(tasks[run.run_pk]) < len(_spec(specs, run).tasks):
            violations.append(f"{dag_id} {run.run_id} ended with unfinished tasks: {open_rows}")
    return violations


def _check_starts(attempts: Sequence[AttemptRecord], workers: Iterable[ScriptedWorker]) -> list[str]:
    recorded = Counter(attempt.attempt for attempt in attempts)
    started = Counter(attempt_id for worker in workers for attempt_id, _, _ in worker.started)
    violations = [f"attempt {attempt} entered author code {count} times" for attempt, count in started.items() if count > 1]
    violations += [f"attempt {attempt} entered author code and was never recorded" for attempt in started if attempt not in recorded]
    violations += [f"attempt {attempt} was recorded {count} times" for attempt, count in recorded.items() if count > 1]
    return violations


def _check_states(
    spec: DagSpec, run: RunRecord, rows: Mapping[str, TaskRecord], clock_steps: bool
) -> list[str]:
    """A task with all_success ran only after all its upstream tasks succeeded; if it is upstream_failed, one of them failed."""
    violations = []
    for task in spec.tasks:
        row = rows.get(task.task_id)
        if row is None or task.trigger_rule != "all_success":
            continue
        upstream = [rows[task_id] for task_id in task.upstream if task_id in rows]
        if row.state in (S.SUCCESS, S.FAILED):
            for previous in upstream:
                if previous.state is not S.SUCCESS:
                    violations.append(f"{run.run_id} {task.task_id} ran although an upstream is {previous.state}")
                elif not clock_steps and previous.ended_at is not None and row.started_at is not None and row.started_at < previous.ended_at:
                    violations.append(f"{run.run_id} {task.task_id} started before its upstream ended")
        elif row.state is S.UPSTREAM_FAILED and not any(b.state in (S.FAILED, S.UPSTREAM_FAILED) for b in upstream):
            violations.append(f"{run.run_id} {task.task_id} is upstream_failed without a failed upstream")
    return violations


def _check_tries(
    attempts: Sequence[AttemptRecord], by_run: Mapping[int, tuple[str, RunRecord]], specs: Mapping[int, DagSpec],
    names: Mapping[tuple[str, int], str], grants: Mapping[int, int],
) -> list[str]:
    """No task instance was tried more often than its retries allow; lost attempts that did not enter author code do not count."""
    violations = []
    retries = {(spec.dag_id, task.task_id): task.retries for spec in specs.values() for task in spec.tasks}
    for attempt in attempts:
        dag_id, run = by_run[attempt.run_pk]
        task_id = names[dag_id, attempt.task_no]
        if attempt.try_number > (retries[dag_id, task_id] + 1) * (1 + grants.get(run.run_pk, 0)):
            violations.append(f"{dag_id} {run.run_id} {task_id}: try {attempt.try_number} with {retries[dag_id, task_id]} retries")
    return violations
