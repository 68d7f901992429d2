"""The runs of independent DAGs in one future: each task starts when those before it have ended, if there are slots for all.

It decides nothing. A DAG in which something is to be decided (a task fails, a limit of its runs or tasks is reached) goes to the engine for this future; so do all DAGs that use a pool
which may be full. `tests/simulation/test_independent_dags.py` proves that the runs are those of the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from gnomon.entry.projection.independent_dags import IndependentDag, IndependentDags, PlannedSlot, Resource
from gnomon.entry.projection.run_outcomes import RunOutcome, TaskOutcome
from gnomon.entry.projection.slot_demand import SlotDemand, find_exact_peak
from gnomon.entry.projection.undisturbed_runs import DrawTry
from gnomon.model.ids import UNMAPPED
from gnomon.model.instants import SECOND, Instant
from gnomon.model.states import DagRunState, TaskInstanceState
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

    index: int
    start: Instant
    end: Instant


@dataclass(slots=True)
class FollowedRun:
    """A run of an independent DAG. By task index: when the task starts and ends."""

    member: IndependentDag
    slot: PlannedSlot
    ended_at: Instant
    starts: list[Instant]
    """Of the last try."""
    ends: list[Instant]
    failed: list[FailedTry]

    def describe(self, *, with_tasks: bool) -> RunOutcome:
        """The run as any other of a projection."""
        slot, plan = self.slot, self.member.plan
        created_at = slot.created_at
        tasks: tuple[TaskOutcome, ...] = ()
        if with_tasks:
            numbers, success = self.member.dag.graph.numbers, TaskInstanceState.SUCCESS
            order = sorted(range(len(plan.tasks)), key=numbers.__getitem__)
            tries = [1] * len(plan.tasks)
            for failed in self.failed:
                tries[failed.index] += 1
            tasks = tuple(
                TaskOutcome(plan.tasks[i].task_id, UNMAPPED, success, tries[i], self.starts[i], self.ends[i])
                for i in order
            )
        return RunOutcome(
            self.member.dag_id,
            slot.run_pk,
            slot.run_id,
            "scheduled",
            slot.run_after,
            DagRunState.SUCCESS,
            created_at,
            created_at,
            self.ended_at,
            tasks,
        )

    def list_uses(self, resource: Resource) -> Iterator[tuple[Instant, Instant, int]]:
        """When its tries take how many slots: start, end, slots."""
        tasks = self.member.plan.tasks
        tries = [FailedTry(index, self.starts[index], self.ends[index]) for index in range(len(tasks))]
        for index, start, end in (*tries, *self.failed):
            task = tasks[index]
            if task.runs_code and (resource is None or task.pool == resource):
                yield start, end, 1 if resource is None else task.pool_slots


class IndependentFuture:
    """One future of the independent DAGs."""

    def __init__(self, dags: IndependentDags, draw: DrawTry, span: FollowedSpan) -> None:
        self.runs: list[FollowedRun] = []
        self.disturbed: set[int] = set()
        """The DAGs (dag_pk) that need the engine in this future."""
        self.last_end: Instant = span.until
        """When the last of the runs ends that are due before `until`; `until` if they end before."""
        self._demand = SlotDemand()
        for dag_pk, member in dags.members.items():
            runs = _follow(member, draw, span)
            if runs is None:
                self.disturbed.add(dag_pk)
                continue
            self.runs += runs
            for resource, width in member.widths.items():
                for run in runs:
                    self._demand.add(resource, run.slot.created_at, run.ended_at, width)
        self.last_end = max((run.ended_at for run in self.runs if run.slot.run_after < span.until), default=span.until)

    def find_peaks(self, capacity: Mapping[Resource, int]) -> dict[Resource, int]:
        """The most slots that are taken at the same time; where that could be more than there are, it is counted exactly."""
        peaks = self._demand.find_peaks()
        for resource, peak in peaks.items():
            if peak > capacity[resource]:
                uses = chain.from_iterable(
                    run.list_uses(resource) for run in self.runs if resource in run.member.widths
                )
                peaks[resource] = find_exact_peak(uses)
        return peaks

    def count_attempts(self) -> int:
        """The attempts of all runs."""
        return sum(run.member.attempts + len(run.failed) for run in self.runs)


def _follow(member: IndependentDag, draw: DrawTry, span: FollowedSpan) -> list[FollowedRun] | None:
    """The runs of one DAG; None: something is to be decided."""
    runs: list[FollowedRun] = []
    live: list[Instant] = []
    """The ends of runs that may not have ended."""
    limit, plan, dag_id = member.runs_limit, member.plan, member.dag_id
    count, until = len(plan.tasks), span.until
    tasks = [(index, plan.upstream[index], task) for index, task in enumerate(plan.tasks)]
    may_exceed = member.widths.get(None, 0) > plan.max_active
    for slot in member.slots:
        begin = slot.created_at
        if begin >= span.end:
            break
        if live:
            live = [at for at in live if at >= begin]
            if len(live) >= limit:
                return None
        starts, ends = [begin] * count, [begin] * count
        run_end = begin
        failed: list[FailedTry] = []
        for index, above, task in tasks:
            at = begin
            for other in above:
                at = max(at, ends[other])
            if task.runs_code:
                run_s, succeeds = draw(dag_id, slot, task.task_id, 1, at)
                try_number = 1
                while not succeeds:
                    if not has_try_left(try_number, task.retries):
                        return None
                    failed.append(FailedTry(index, at, at + int(run_s * SECOND)))
                    at = compute_retry_at(task, try_number, f"{dag_id}/{slot.run_id}/{task.task_id}", failed[-1].end)
                    try_number += 1
                    run_s, succeeds = draw(dag_id, slot, task.task_id, try_number, at)
                starts[index] = at
                at += int(run_s * SECOND)
            else:
                starts[index] = at
            ends[index] = at
            run_end = max(run_end, at)
        run = FollowedRun(member, slot, run_end, starts, ends, failed)
        if (may_exceed and find_exact_peak(run.list_uses(None)) > plan.max_active) or (
            run_end >= span.deadline and slot.run_after < until
        ):
            return None
        live.append(run_end)
        runs.append(run)
    return runs
