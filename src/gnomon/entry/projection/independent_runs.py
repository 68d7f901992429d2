"""The runs of independent DAGs in one future: each task starts when those before it have ended, if there are slots for all.

It decides nothing. A DAG in which something is to be decided (a task fails, a limit of its runs or tasks is reached) goes to the engine for this future; so do all DAGs that use a pool
which may be full. `tests/simulation/test_independent_dags.py` proves that the runs are those of the engine.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from gnomon.entry.projection.begun_runs import BegunRun, KnownRun
from gnomon.entry.projection.independent_dags import IndependentDag, IndependentDags, Resource
from gnomon.entry.projection.run_ends import NEEDS_ENGINE, RunEnds
from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.entry.projection.slot_demand import SlotDemand, find_exact_peak
from gnomon.entry.projection.undisturbed_runs import DrawTry
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState, TaskInstanceState
from gnomon.rules.decide.outcomes import compute_retry_at, has_try_left


class FollowedSpan(NamedTuple):
    """Which runs are followed."""

    start: Instant
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
    tries: list[int]
    """The number of the first try that is followed."""
    failed: Sequence[FailedTry]

    def describe(self, member: IndependentDag) -> tuple[TaskOutcome, ...]:
        """The task instances as those of any other run."""
        tasks, numbers, success = member.plan.tasks, member.dag.graph.numbers, TaskInstanceState.SUCCESS
        tries = self.tries.copy()
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

    run: KnownRun
    ended_at: Instant
    times: TaskTimes | None
    """None: nobody asked for the tasks."""


class IndependentFuture:
    """One future of the independent DAGs."""

    def __init__(
        self,
        dags: IndependentDags,
        draw: DrawTry,
        span: FollowedSpan,
        *,
        with_tasks: bool | Collection[str],
        taken: SlotDemand | None = None,
        ends: RunEnds | None = None,
    ) -> None:
        """`with_tasks`: whether the outcomes have their tasks, or the ids of the DAGs whose outcomes have them. `taken`: the slots of others. `ends`: what was drawn before."""
        self._draw, self._span = draw, span
        self.runs: list[tuple[IndependentDag, list[FollowedRun]]] = []
        self.disturbed: set[int] = set()
        """The DAGs (dag_pk) that need the engine in this future."""
        self.last_end: Instant = span.until
        """When the last of the runs ends that are due before `until`; `until` if they end before."""
        self.attempts = 0
        """Of all runs, without tries that fail."""
        self._taken, self._demand = taken, SlotDemand(taken)
        for dag_pk, member in dags.members.items():
            keeps = with_tasks if isinstance(with_tasks, bool) else member.dag_id in with_tasks
            runs = _follow(member, draw, span, ends, with_tasks=keeps)
            if runs is None:
                self.disturbed.add(dag_pk)
                continue
            self.runs.append((member, runs))
            self.attempts += member.attempts * len(runs)
            spans = [(max(run.run.started_at, dags.start), run.ended_at) for run in runs]
            for resource, width in member.widths.items():
                self._demand.add(resource, width, spans)
            for run in reversed(runs):
                if run.run.run_after < span.until:
                    self.last_end = max(self.last_end, run.ended_at)
                if run.ended_at < span.until:
                    break

    def find_peaks(self, capacity: Mapping[Resource, int]) -> dict[Resource, int]:
        """The most slots that are taken at the same time; where that could be more than there are, it is counted exactly, unless others take some."""
        peaks = self._demand.find_peaks()
        for resource, peak in peaks.items():
            if peak > capacity[resource] and (self._taken is None or resource not in self._taken.resources):
                peaks[resource] = find_exact_peak(self._list_uses(resource))
        return peaks

    def _list_uses(self, resource: Resource) -> Iterator[tuple[Instant, Instant, int]]:
        for member, _ in self.runs:
            if resource in member.widths:
                for run in _follow(member, self._draw, self._span, with_tasks=True) or ():
                    assert run.times is not None
                    yield from run.times.list_uses(member, resource)

    def list_outcomes(self) -> list[RunOutcome]:
        """The runs as any other of a projection."""
        success = DagRunState.SUCCESS
        return [
            RunOutcome(
                member.dag_id,
                run.run_pk,
                run.run_id,
                run.run_type._value_,
                run.run_after,
                success,
                run.queued_at,
                run.started_at,
                ended_at,
                () if times is None else times.describe(member),
            )
            for member, runs in self.runs
            for run, ended_at, times in runs
        ]


def _follow(
    member: IndependentDag, draw: DrawTry, span: FollowedSpan, ends: RunEnds | None = None, *, with_tasks: bool
) -> list[FollowedRun] | None:
    """The runs of one DAG; None: something is to be decided."""
    dag_id, limit = member.dag_id, member.runs_limit
    runs: list[FollowedRun] = []
    live: list[Instant] = []
    """The ends of runs that may not have ended."""
    for begun in member.begun:
        times = _time_begun(member, draw, begun, span.start)
        if times is None or _waits_for_itself(member, times):
            return None
        live.append(max(span.start, *times.ends))
        if live[-1] >= span.deadline:
            return None
        runs.append(FollowedRun(begun.run, live[-1], times if with_tasks else None))
    for run in member.planned:
        begin = run.started_at
        if begin >= span.end:
            break
        if live:
            live = [at for at in live if at >= begin]
            if len(live) >= limit:
                return None
        times = None
        if ends is None or with_tasks:
            times = _time_undisturbed(member, draw, run)
            ended_at = NEEDS_ENGINE if times is None else max(times.ends)
        else:
            ended_at = ends.find(dag_id, run, partial(_find_end, member, draw, run))
        if ended_at == NEEDS_ENGINE or (ended_at >= span.deadline and run.run_after < span.until):
            return None
        live.append(ended_at)
        runs.append(FollowedRun(run, ended_at, times if with_tasks else None))
    return runs


def _find_end(member: IndependentDag, draw: DrawTry, run: KnownRun) -> Instant:
    times = _time_undisturbed(member, draw, run)
    return NEEDS_ENGINE if times is None else max(times.ends)


def _time_undisturbed(member: IndependentDag, draw: DrawTry, run: KnownRun) -> TaskTimes | None:
    """When the tasks of a run start and end; None: one of them fails, or has to wait for others of its run."""
    times = _time_tasks(member, draw, run)
    if times is None or _waits_for_itself(member, times):
        return None
    return times


def _waits_for_itself(member: IndependentDag, times: TaskTimes) -> bool:
    most = member.plan.max_active
    return member.widths.get(None, 0) > most and find_exact_peak(times.list_uses(member, None)) > most


def _time_tasks(member: IndependentDag, draw: DrawTry, run: KnownRun) -> TaskTimes | None:
    """When the tasks of a run start and end; None: one of them fails."""
    begin, dag_id = run.started_at, member.dag_id
    starts: list[Instant] = []
    ends: list[Instant] = []
    failed: list[FailedTry] = []
    for above, task in member.steps:
        at = begin
        if above:
            at = ends[above[0]] if len(above) == 1 else max([ends[other] for other in above])
        if task.runs_code:
            run_s, succeeds = draw(dag_id, run, task.task_id, 1, at, 0.0)
            end = at + int(run_s * SECOND)
            if not succeeds:
                last = _try_again(dag_id, draw, run, task, FailedTry(len(ends), at, end), 1, failed)
                if last is None:
                    return None
                at, end = last
        else:
            end = at
        starts.append(at)
        ends.append(end)
    return TaskTimes(starts, ends, [1] * len(ends), failed)


def _time_begun(member: IndependentDag, draw: DrawTry, begun: BegunRun, now: Instant) -> TaskTimes | None:
    """The same for a run that has begun before `now`."""
    run, dag_id = begun.run, member.dag_id
    starts: list[Instant] = []
    ends: list[Instant] = []
    tries: list[int] = []
    failed: list[FailedTry] = []
    for (above, task), state in zip(member.steps, begun.tasks, strict=True):
        at = max([now, *[ends[other] for other in above]])
        try_number, end = 1, at
        if state is not None:
            try_number = state.try_number
            at = max(now, state.resume_at or now) if state.started_at is None else state.started_at
            end = at
        if state is not None and state.ended_at is not None:
            end = state.ended_at
        elif task.runs_code:
            age_s = (now - at) / SECOND if at < now else 0.0
            run_s, succeeds = draw(dag_id, run, task.task_id, try_number, max(at, now), age_s)
            end = max(now, at + int(run_s * SECOND))
            if not succeeds:
                last = _try_again(dag_id, draw, run, task, FailedTry(len(ends), max(at, now), end), try_number, failed)
                if last is None:
                    return None
                at, end = last
        starts.append(at)
        ends.append(end)
        tries.append(try_number)
    return TaskTimes(starts, ends, tries, failed)


def _try_again(
    dag_id: str,
    draw: DrawTry,
    run: KnownRun,
    task: TaskSpec,
    first: FailedTry,
    try_number: int,
    failed: list[FailedTry],
) -> tuple[Instant, Instant] | None:
    """The start and end of the try that succeeds after the try with that number has failed, which is added to `failed` with all others that do; None: none is left."""
    seed, failing = f"{dag_id}/{run.run_id}/{task.task_id}", first
    while has_try_left(try_number, task.retries):
        failed.append(failing)
        at = compute_retry_at(task, try_number, seed, failing.end)
        try_number += 1
        run_s, succeeds = draw(dag_id, run, task.task_id, try_number, at, 0.0)
        end = at + int(run_s * SECOND)
        if succeeds:
            return at, end
        failing = FailedTry(first.task_index, at, end)
    return None
