"""The auditor: it compares the records with the specs and the workers' diaries, and uses no code of the scheduler."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from gnomon.entry.testing.scripted import ScriptedWorker
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.records import AttemptRecord, RunRecord, TaskRecord
from gnomon.model.spec import DagSpec
from gnomon.model.states import FINISHED_RUN_STATES, FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S


def find_violations(
    specs: Mapping[int, DagSpec],
    runs: Sequence[tuple[str, RunRecord]],
    tasks: Mapping[int, Sequence[TaskRecord]],
    attempts: Sequence[AttemptRecord],
    workers: Iterable[ScriptedWorker],
    names: Mapping[tuple[str, int], str],
    due: Mapping[str, Sequence[Instant]],
    grants: Mapping[int, int] = MappingProxyType({}),
    clock_steps: bool = False,
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
        rows: dict[str, list[TaskRecord]] = {}
        for row in tasks[run_pk]:
            if row.state is not S.REMOVED:
                rows.setdefault(names[dag_id, row.task_no], []).append(row)
        violations += _check_states(_spec(specs, run), run, rows, clock_steps)
    violations += _check_tries(attempts, by_run, specs, names, grants)
    return violations


def _spec(specs: Mapping[int, DagSpec], run: RunRecord) -> DagSpec:
    assert run.version_pk is not None, f"{run.run_id} has no version"
    return specs[run.version_pk]


def _check_runs_as_due(runs: Sequence[tuple[str, RunRecord]], due: Mapping[str, Sequence[Instant]]) -> list[str]:
    violations = []
    for dag_id, instants in due.items():
        runs_at = Counter(run.run_after for other, run in runs if other == dag_id and run.run_type.value == "scheduled")
        violations += [f"{dag_id}: no run at {at}" for at in instants if runs_at[at] == 0]
        violations += [f"{dag_id}: {count} runs at {at}" for at, count in runs_at.items() if count > 1]
        violations += [
            f"{dag_id}: a run at {at}, which its timetable does not have" for at in runs_at if at not in set(instants)
        ]
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
        if open_rows or len({row.task_no for row in tasks[run.run_pk]}) < len(_spec(specs, run).tasks):
            violations.append(f"{dag_id} {run.run_id} ended with unfinished tasks: {open_rows}")
    return violations


def _check_starts(attempts: Sequence[AttemptRecord], workers: Iterable[ScriptedWorker]) -> list[str]:
    recorded = Counter(attempt.attempt for attempt in attempts)
    started = Counter(attempt_id for worker in workers for attempt_id, _, _ in worker.started)
    violations = [
        f"attempt {attempt} entered author code {count} times" for attempt, count in started.items() if count > 1
    ]
    violations += [
        f"attempt {attempt} entered author code and was never recorded"
        for attempt in started
        if attempt not in recorded
    ]
    violations += [f"attempt {attempt} was recorded {count} times" for attempt, count in recorded.items() if count > 1]
    return violations


def _check_states(
    spec: DagSpec, run: RunRecord, rows: Mapping[str, Sequence[TaskRecord]], clock_steps: bool
) -> list[str]:
    """A task with all_success ran only after all its upstream tasks succeeded; if it is upstream_failed, one of them failed.

    An instance in a mapped group is compared with the instances of the group that have its map index. The groups of a
    simulation are not nested, and no task in them is mapped itself. A task that is mapped over a failed task is left out.
    """
    violations = []
    groups = {task.task_id: task.group for task in spec.tasks if task.group in spec.group_expansions}
    is_mapped = {task.task_id: task.expansion is not None or task.task_id in groups for task in spec.tasks}
    for task in spec.tasks:
        for row in rows.get(task.task_id, ()) if task.trigger_rule == "all_success" else ():
            upstream = [
                other
                for task_id in task.upstream
                for other in rows.get(task_id, ())
                if other.map_index in (row.map_index, UNMAPPED)
                or groups.get(task_id) is None
                or groups[task_id] != groups.get(task.task_id)
            ]
            name = f"{run.run_id} {task.task_id}[{row.map_index}]"
            if row.state in (S.SUCCESS, S.FAILED) and row.started_at is not None:
                violations += [
                    f"{name} ran although an upstream is {other.state}"
                    for other in upstream
                    if other.state is not S.SUCCESS
                ]
                late = [other for other in upstream if other.ended_at is not None and row.started_at < other.ended_at]
                violations += [f"{name} started before its upstream ended" for _ in late if not clock_steps]
            elif (
                row.state is S.UPSTREAM_FAILED
                and not is_mapped[task.task_id]
                and not any(b.state in (S.FAILED, S.UPSTREAM_FAILED) for b in upstream)
            ):
                violations.append(f"{name} is upstream_failed without a failed upstream")
    return violations


def _check_tries(
    attempts: Sequence[AttemptRecord],
    by_run: Mapping[int, tuple[str, RunRecord]],
    specs: Mapping[int, DagSpec],
    names: Mapping[tuple[str, int], str],
    grants: Mapping[int, int],
) -> list[str]:
    """No task instance was tried more often than its retries allow; lost attempts that did not enter author code do not count."""
    violations = []
    retries = {(spec.dag_id, task.task_id): task.retries for spec in specs.values() for task in spec.tasks}
    for attempt in attempts:
        dag_id, run = by_run[attempt.run_pk]
        task_id = names[dag_id, attempt.task_no]
        if attempt.try_number > (retries[dag_id, task_id] + 1) * (1 + grants.get(run.run_pk, 0)):
            violations.append(
                f"{dag_id} {run.run_id} {task_id}: try {attempt.try_number} with {retries[dag_id, task_id]} retries"
            )
    return violations
