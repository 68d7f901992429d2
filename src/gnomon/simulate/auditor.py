"""The auditor: it knows the specs, the workers' diaries and the records, and trusts none of the code that made them."""

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
    """Everything that should not be, in words; empty when all is well.

    `specs`: by version; a run stands by the version that it had last. `grants`: run key to how often people or files
    granted its tasks all their tries again. `clock_steps`: instants of different tasks cannot be compared.

    `runs`: (dag id, run); `names`: (dag id, task number) to task id; `due`: DAG id to the instants at which a scheduled
    run of it is expected, by the timetable alone.
    """
    found: list[str] = []
    found += _check_runs_as_due(runs, due)
    found += _check_everything_ended(runs, tasks, specs)
    found += _check_starts(attempts, workers)
    by_run = {run.run_pk: (dag_id, run) for dag_id, run in runs}
    for run_pk, (dag_id, run) in by_run.items():
        found += _check_states(
            _spec(specs, run), run, {names[dag_id, row.task_no]: row for row in tasks[run_pk]}, clock_steps
        )
    found += _check_tries(attempts, by_run, specs, names, grants)
    return found


def _spec(specs: Mapping[int, DagSpec], run: RunRecord) -> DagSpec:
    assert run.version_pk is not None, f"{run.run_id} has no version"
    return specs[run.version_pk]


def _check_runs_as_due(runs: Sequence[tuple[str, RunRecord]], due: Mapping[str, Sequence[Instant]]) -> list[str]:
    found = []
    for dag_id, instants in due.items():
        made = Counter(run.run_after for other, run in runs if other == dag_id and run.run_type.value == "scheduled")
        found += [f"{dag_id}: no run at {at}" for at in instants if made[at] == 0]
        found += [f"{dag_id}: {count} runs at {at}" for at, count in made.items() if count > 1]
        found += [f"{dag_id}: a run at {at}, which its timetable does not have" for at in made if at not in set(instants)]
    return found


def _check_everything_ended(
    runs: Sequence[tuple[str, RunRecord]], tasks: Mapping[int, Sequence[TaskRecord]], specs: Mapping[int, DagSpec]
) -> list[str]:
    found = []
    for dag_id, run in runs:
        if run.state not in FINISHED_RUN_STATES:
            found.append(f"{dag_id} {run.run_id} is still {run.state}")
            continue
        open_rows = [row for row in tasks[run.run_pk] if row.state not in FINISHED_TASK_STATES]
        if open_rows or len(tasks[run.run_pk]) < len(_spec(specs, run).tasks):
            found.append(f"{dag_id} {run.run_id} ended with unfinished tasks: {open_rows}")
    return found


def _check_starts(attempts: Sequence[AttemptRecord], workers: Iterable[ScriptedWorker]) -> list[str]:
    recorded = Counter(attempt.attempt for attempt in attempts)
    started = Counter(attempt_id for worker in workers for attempt_id, _, _ in worker.started)
    found = [f"attempt {attempt} entered author code {count} times" for attempt, count in started.items() if count > 1]
    found += [f"attempt {attempt} entered author code and was never recorded" for attempt in started if attempt not in recorded]
    found += [f"attempt {attempt} was recorded {count} times" for attempt, count in recorded.items() if count > 1]
    return found


def _check_states(
    spec: DagSpec, run: RunRecord, rows: Mapping[str, TaskRecord], clock_steps: bool
) -> list[str]:
    """An all_success task ran only after all its upstreams succeeded; one that did not run has an upstream to blame."""
    found = []
    for task in spec.tasks:
        row = rows.get(task.task_id)
        if row is None or task.trigger_rule != "all_success":
            continue
        upstream = [rows[task_id] for task_id in task.upstream if task_id in rows]
        if row.state in (S.SUCCESS, S.FAILED):
            for before in upstream:
                if before.state is not S.SUCCESS:
                    found.append(f"{run.run_id} {task.task_id} ran although an upstream is {before.state}")
                elif not clock_steps and before.ended_at is not None and row.started_at is not None and row.started_at < before.ended_at:
                    found.append(f"{run.run_id} {task.task_id} started before its upstream ended")
        elif row.state is S.UPSTREAM_FAILED and not any(b.state in (S.FAILED, S.UPSTREAM_FAILED) for b in upstream):
            found.append(f"{run.run_id} {task.task_id} is upstream_failed without a failed upstream")
    return found


def _check_tries(
    attempts: Sequence[AttemptRecord], by_run: Mapping[int, tuple[str, RunRecord]], specs: Mapping[int, DagSpec],
    names: Mapping[tuple[str, int], str], grants: Mapping[int, int],
) -> list[str]:
    """No task instance was tried more often than its retries allow; lost attempts that never entered do not count."""
    found = []
    retries = {(spec.dag_id, task.task_id): task.retries for spec in specs.values() for task in spec.tasks}
    for attempt in attempts:
        dag_id, run = by_run[attempt.run_pk]
        task_id = names[dag_id, attempt.task_no]
        if attempt.try_number > (retries[dag_id, task_id] + 1) * (1 + grants.get(run.run_pk, 0)):
            found.append(f"{dag_id} {run.run_id} {task_id}: try {attempt.try_number} with {retries[dag_id, task_id]} retries")
    return found
