"""Runs of independent DAGs that have begun before the projection: what their tasks have done so far."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import Instant
from gnomon.model.records import RunRecord, TaskRecord
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState, DagRunType
from gnomon.model.states import TaskInstanceState as S
from gnomon.rules.engine.state.task_graph import TaskGraph


@dataclass(frozen=True, slots=True)
class KnownRun:
    """A run that has the same start in every future."""

    run_pk: int
    run_id: str
    run_type: DagRunType
    run_after: Instant
    queued_at: Instant
    started_at: Instant


@dataclass(frozen=True, slots=True)
class BegunTask:
    """A task of such a run that has begun."""

    try_number: int
    """Of the present try; of one that waits for its retry, of the next one."""
    started_at: Instant | None
    """None: its worker has not entered author code, or the next try has not started."""
    ended_at: Instant | None = None
    """Not None: it has succeeded."""
    resume_at: Instant | None = None
    """Not None: it waits for its retry."""

    @property
    def is_live(self) -> bool:
        """Whether a worker has it."""
        return self.ended_at is None and self.resume_at is None


@dataclass(frozen=True, slots=True)
class BegunRun:
    """A run that has begun. `tasks` by task index: None for a task that has not begun."""

    run: KnownRun
    tasks: tuple[BegunTask | None, ...]


def describe_begun(graph: TaskGraph, version_pk: int, record: RunRecord, rows: Iterable[TaskRecord]) -> BegunRun | None:
    """The run, if each of its tasks has succeeded, runs, waits for a retry or has not begun; None: the engine is to say what follows."""
    if (
        record.state is not DagRunState.RUNNING
        or record.started_at is None
        or record.backfill_pk is not None
        or record.kept_spec is not None
        or record.version_pk != version_pk
        or record.clear_number
        or record.reason is not None
    ):
        return None
    tasks: list[BegunTask | None] = [None] * len(graph.tasks)
    for row in rows:
        index = graph.index_of_number.get(row.task_no)
        if index is None or not _is_plain(row, graph.tasks[index]):
            return None
        if row.state is None or row.state is S.SCHEDULED:
            continue
        tasks[index] = begun = _describe_task(row)
        if begun is None:
            return None
    run = KnownRun(record.run_pk, record.run_id, record.run_type, record.run_after, record.queued_at, record.started_at)
    return BegunRun(run, tuple(tasks))


def _is_plain(row: TaskRecord, task: TaskSpec) -> bool:
    if row.map_index != UNMAPPED or row.overrides is not None or row.deferral is not None:
        return False
    if row.state is None or row.state is S.SCHEDULED:
        return not row.try_number and row.attempt is None and row.resume_at is None
    return not row.try_number or row.max_tries == task.retries


def _describe_task(row: TaskRecord) -> BegunTask | None:
    if row.state is S.SUCCESS and row.ended_at is not None:
        return BegunTask(row.try_number, row.started_at, row.ended_at)
    if row.state is S.RUNNING and row.attempt is not None and row.started_at is not None:
        return BegunTask(row.try_number, row.started_at)
    if row.state is S.QUEUED and row.attempt is not None:
        return BegunTask(row.try_number, None)
    if row.state is S.UP_FOR_RETRY and row.attempt is None and row.resume_at is not None:
        return BegunTask(row.try_number + 1, None, resume_at=row.resume_at)
    return None
