"""The runs of independent DAGs in one future: each task starts when those before it have ended, if there are slots for all.

It decides nothing. A DAG in which something is to be decided (a task fails, a limit of its runs or tasks is reached) goes to the engine for this future; so do all DAGs that use a pool
which may be full. `tests/simulation/test_independent_dags.py` proves that the runs are those of the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from gnomon.entry.projection.independent_dags import IndependentDag, IndependentDags, PlannedSlot, Resource
from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.entry.projection.slot_demand import SlotDemand, find_exact_peak
from gnomon.entry.projection.undisturbed_runs import DrawTry
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant
from gnomon.model.states import DagRunState, DagRunType, TaskInstanceState
from gnomon.rules.decide.outcomes import compute_retry_at, has_try_left


class FollowedSpan(NamedTuple):
    """Which runs are followed."""

    until: Instant
    """Runs that are due before it are asked for."""
    end: Instant
    """All runs that are created before it take slots."""
    deadline: Instant
    """A run that is asked for and has not ended before it needs the engine, which says how far it came."""


class FailedTry(NamedTuple):
    """A try that another one follows."""

    task_index: int
    start: Instant
    end: Instant


class TaskTimes(NamedTuple):
    """The tries of a run. By task index: when the last try starts and ends."""

    starts: list[Instant]
    ends: list[Instant]
    failed: Sequence[FailedTry]

    def describe(self, member: IndependentDag) -> tuple[TaskOutcome, ...]:
        """The task instances as those of any other run."""
        tasks, numbers, success = member.plan.tasks, member.dag.graph.numbers, TaskInstanceState.SUCCESS
        tries = [1] * len(tasks)
        for failed in self.failed:
            tries[failed.task_index] += 1
        return tuple(
            TaskOutcome(tasks[i].task_id, UNMAPPED, success, tries[i], self.starts[i], self.ends[i])
            for i in sorted(range(len(tasks)), key=numbers.__getitem__)
        )

    def list_uses(self, member: IndependentDag, resource: Resource) -> Iterator[tuple[Instant, Instant, int]]:
        """When the tries take how many slots: start, end, slots."""
        tasks = member.plan.tasks
        tries = [FailedTry(index, self.starts[index], self.ends[index]) for index in range(len(tasks))]
        for index, start, end in (*tries, *self.failed):
            task = tasks[index]
            if task.runs_code and (resource is None or task.pool == resource):
                yield start, end, 1 if resource is None else task.pool_slots


class FollowedRun(NamedTuple):
    """A run of an independent DAG."""

    slot: PlannedSlot
    ended_at: Instant
    times: TaskTimes | None
    """None: nobody asked for the tasks."""


class IndependentFuture:
    """One future of the independent DAGs."""

    def __init__(self, dags: IndependentDags, draw: DrawTry, span: FollowedSpan, *, with_tasks: bool) -> None:
        self._draw, self._span = draw, span
        self.runs: list[tuple[IndependentDag, list[FollowedRun]]] = []
        self.disturbed: set[int] = set()
        """The DAGs (dag_pk) that need the engine in this future."""
        self.last_end: Instant = span.until
        """When the last of the runs ends that are due before `until`; `until` if they end before."""
        self.attempts = 0
        """Of all runs, without tries that fail."""
        self._demand = SlotDemand()
        for dag_pk, member in dags.members.items():
            runs = _follow(member, draw, span, with_tasks=with_tasks)
            if runs is None:
                self.disturbed.add(dag_pk)
                continue
            self.runs.append((member, runs))
            self.attempts += member.attempts * len(runs)
            spans = [(run.slot.created_at, run.ended_at) for run in runs]
            for resource, width in member.widths.items():
                self._demand.add(resource, width, spans)
            for run in reversed(runs):
                if run.slot.run_after < span.until:
                    self.last_end = max(self.last_end, run.ended_at)
                if run.ended_at < span.until:
                    break

    def find_peaks(self, capacity: Mapping[Resource, int]) -> dict[Resource, int]:
        """The most slots that are taken at the same time; where that could be more than there are, it is counted exactly."""
        peaks = self._demand.find_peaks()
        for resource, peak in peaks.items():
            if peak > capacity[resource]:
                peaks[resource] = find_exact_peak(self._list_uses(resource))
        return peaks

    def _list_uses(self, resource: Resource) -> Iterator[tuple[Instant, Instant, int]]:
        for member, _ in self.runs:
            if resource in member.widths:
                for run in _follow(member, self._draw, self._span, with_tasks=True) or ():
                    assert run.times is not None
                    yield from run.times.list_uses(member, resource)

    def list_outcomes(self) -> list[RunOutcome]:
        """The runs that are asked for, as any other of a projection."""
        until, success = self._span.until, DagRunState.SUCCESS
        return [
            RunOutcome(
                member.dag_id,
                slot.run_pk,
                slot.run_id,
                _SCHEDULED,
                slot.run_after,
                success,
                slot.created_at,
                slot.created_at,
                ended_at,
                () if times is None else times.describe(member),
            )
            for member, runs in self.runs
            for slot, ended_at, times in runs
            if slot.run_after < until
        ]


def _follow(member: IndependentDag, draw: DrawTry, span: FollowedSpan, *, with_tasks: bool) -> list[FollowedRun] | None:
    """The runs of one DAG; None: something is to be decided."""
    runs: list[FollowedRun] = []
    live: list[Instant] = []
    """The ends of runs that may not have ended."""
    limit, most = member.runs_limit, member.plan.max_active
    may_exceed = member.widths.get(None, 0) > most
    for slot in member.slots:
        begin = slot.created_at
        if begin >= span.end:
            break
        if live:
            live = [at for at in live if at >= begin]
            if len(live) >= limit:
                return None
        times = _time_tasks(member, draw, slot)
        if times is None or (may_exceed and find_exact_peak(times.list_uses(member, None)) > most):
            return None
        ended_at = max(times.ends)
        if ended_at >= span.deadline and slot.run_after < span.until:
            return None
        live.append(ended_at)
        runs.append(FollowedRun(slot, ended_at, times if with_tasks else None))
    return runs


def _time_tasks(member: IndependentDag, draw: DrawTry, slot: PlannedSlot) -> TaskTimes | None:
    """When the tasks of a run start and end; None: one of them fails."""
    begin, dag_id = slot.created_at, member.dag_id
    starts: list[Instant] = []
    ends: list[Instant] = []
    failed: list[FailedTry] = []
    for above, task in member.steps:
        at = begin
        if above:
            at = ends[above[0]] if len(above) == 1 else max([ends[other] for other in above])
        if task.runs_code:
            run_s, succeeds = draw(dag_id, slot, task.task_id, 1, at)
            try_number = 1
            while not succeeds:
                if not has_try_left(try_number, task.retries):
                    return None
                failed.append(FailedTry(len(ends), at, at + int(run_s * SECOND)))
                at = compute_retry_at(task, try_number, f"{dag_id}/{slot.run_id}/{task.task_id}", failed[-1].end)
                try_number += 1
                run_s, succeeds = draw(dag_id, slot, task.task_id, try_number, at)
            starts.append(at)
            at += int(run_s * SECOND)
        else:
            starts.append(at)
        ends.append(at)
    return TaskTimes(starts, ends, failed)


_SCHEDULED = DagRunType.SCHEDULED.value
