"""The expected runs of one DAG, computed from the simulation log alone, and compared with the rows of its runs.

The rules:

A. While a scheduler is up and the DAG is unpaused, there is a planning pass when its next slot is due and after every action
   on it, at the same instant. Actions of an instant come before its pass. Where commits failed or had an unknown outcome, or
   the scheduler died around a commit, the log has the instants of the tries: the passes are some of them, and always the
   last. (`StoreFaults`: the only place where more than one sequence of passes is correct; the rows must follow one of them.)
B. The timetable computes the next slot when there is none yet, when the schedule has changed since the last pass, and when the
   next slot has been decided about; `answers` has its answers. A parsed file, a started process or a clock that was set is
   not a reason. A new schedule continues from the last slot; slots of the old one that have no run are dropped. (If such a
   slot was the first of all, and due since the DAG became live, the new schedule is asked as of then.)
C. A DAG becomes live when it is defined, when it is unpaused, and at the first pass with another schedule.
D. A due slot that is late by at most the grace gets a run. Later slots from before the DAG became live: with catchup all within
   `catchup_window`, without it the newest alone. Later slots from after that: by `misfire` all, the newest alone, or none.
   "The newest" is the newest slot that is due by now, also one that is not late; with a misfire other than "latest" it is the
   newest before the DAG became live. If it lies after the end date, it is the newest that does not.
E. With jitter, everything happens later by the DAG's own delay; the row has the slot without the delay.
F. A slot whose logical date a manual run has is skipped.
G. A row is created at the instant of the pass, in the order of the slots, and once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import takewhile
from typing import NamedTuple

from gnomon.entry.simulate.reference_schedule import CronGrids, ExpectedSlot, Schedule, find_next_slot
from gnomon.entry.simulate.simulation_log import (
    ClockStepped,
    DagDefined,
    DagPaused,
    LogEntry,
    ManualRunTriggered,
    SchedulerKilled,
    SchedulerStarted,
    SimulationLog,
    StoreFaults,
)
from gnomon.model.instants import SECOND, Instant, to_datetime

GRACE = 60 * SECOND


class SlotRun(NamedTuple):
    """A row of a run, or an expected one: the slot, and the instant of its creation."""

    slot: ExpectedSlot
    made_at: Instant


@dataclass(frozen=True, slots=True)
class _DagTimeline:
    """The state of one DAG at one instant of the log."""

    schedule: Schedule | None = None
    asked_with: tuple[object, ...] | None = None
    """The origin of the schedule in the last planning pass."""
    since: Instant = 0
    """Since when the DAG has been active and unpaused with this schedule."""
    paused: bool = False
    is_scheduler_up: bool = True
    last: ExpectedSlot | None = None
    plan: ExpectedSlot | None = None
    held: frozenset[Instant] = frozenset()
    """Logical dates of manual runs."""


class RunExpectation:
    """Follows the simulation log and the rows of one DAG, and compares them."""

    def __init__(self, dag_id: str, grids: CronGrids, grace: Instant = GRACE) -> None:
        self._dag_id = dag_id
        self._grids = grids
        self._grace = grace
        self.expected = 0
        self._parts = int.from_bytes(sha256(dag_id.encode()).digest()[:8])

    def check(self, ledger: SimulationLog, rows: Sequence[SlotRun]) -> list[str]:
        """The first difference between the rows and the expected runs, as a sentence; empty when there is none."""
        state, now, at_row = _DagTimeline(), ledger.start, 0
        for entry in [*ledger.entries_of(self._dag_id), None]:
            until = ledger.end if entry is None else entry.at
            state, slot_runs = self._flow(state, now, until)
            if isinstance(entry, StoreFaults):
                state, more = self._through(state, entry.tries, rows[at_row + len(slot_runs) :])
                slot_runs += more
            if slot_runs != rows[at_row : at_row + len(slot_runs)]:
                return [self._difference(slot_runs, rows[at_row:], entry)]
            at_row += len(slot_runs)
            self.expected += len(slot_runs)
            now = until
            if entry is not None:
                state, now = _apply_entry(state, entry)
        if at_row < len(rows):
            return [
                f"{self._dag_id}: {_describe_run(rows[at_row])}, and {len(rows) - at_row - 1} more, which nothing asks for"
            ]
        return []

    def _flow(self, state: _DagTimeline, now: Instant, until: Instant) -> tuple[_DagTimeline, list[SlotRun]]:
        """Planning passes from `now` (inclusive) to `until` (exclusive)."""
        slot_runs: list[SlotRun] = []
        schedule = state.schedule
        while state.is_scheduler_up and not state.paused and schedule is not None and now < until:
            state, more = self._look(state, now)
            slot_runs += more
            if state.plan is None or state.plan.run_after + self._delay(schedule) <= now:
                break
            now = state.plan.run_after + self._delay(schedule)
        return state, slot_runs

    def _through(
        self, state: _DagTimeline, tries: Sequence[Instant], rows: Sequence[SlotRun]
    ) -> tuple[_DagTimeline, list[SlotRun]]:
        """The course through the tries that the rows follow; the last of all courses when they follow none.

        A look that the store did not let finish made the first of its runs, or none: how many, the rows of that instant say.
        """
        courses: dict[tuple[_DagTimeline, tuple[SlotRun, ...]], None] = {(state, ()): None}
        for at in tries[:-1]:
            after: dict[tuple[_DagTimeline, tuple[SlotRun, ...]], None] = {}
            for before, slot_runs in courses:
                there = sum(1 for _ in takewhile(lambda row: row.made_at == at, rows[len(slot_runs) :]))  # noqa: B023
                looked, more = self._look(before, at, most=there)
                if len(more) == there:
                    after[looked, (*slot_runs, *more)] = None
                if not there:
                    after[before, slot_runs] = None
            courses = after or courses
        ended = [
            (looked, [*slot_runs, *more])
            for before, slot_runs in courses
            for looked, more in [self._look(before, tries[-1])]
        ]
        fitting = [course for course in ended if course[1] == list(rows[: len(course[1])])]
        return max(fitting or ended[-1:], key=lambda course: len(course[1]))

    def _look(self, state: _DagTimeline, now: Instant, most: int | None = None) -> tuple[_DagTimeline, list[SlotRun]]:
        """The planning pass at one instant; it stops after `most` runs."""
        schedule = state.schedule
        if not state.is_scheduler_up or state.paused or schedule is None or schedule.kind == "never":
            return state, []
        plan_until = now - self._delay(schedule)
        if schedule.origin != state.asked_with:
            state, due = self._asked_anew(state, schedule, now, plan_until)
        elif state.plan is None or state.plan.run_after > plan_until:
            return state, []
        else:
            due = state.plan
        walk = _ScheduleWalk(
            schedule, state.since - self._delay(schedule), plan_until, self._grace, self._grids, state.last
        )
        slot_runs: list[SlotRun] = []
        while due is not None and due.run_after <= plan_until:
            due, is_made = walk.decide_slot(due)
            if due is None or not is_made:
                continue
            if due.start not in state.held:
                if most is not None and len(slot_runs) == most:
                    break
                slot_runs.append(SlotRun(due, now))
            due = walk.slot_after(due)
        return replace(state, asked_with=schedule.origin, last=walk.last, plan=due), slot_runs

    def _asked_anew(
        self, state: _DagTimeline, schedule: Schedule, now: Instant, plan_until: Instant
    ) -> tuple[_DagTimeline, ExpectedSlot | None]:
        """A schedule that is new since the last pass: since when the DAG is live, and its first slot."""
        delay, at, first = self._delay(schedule), plan_until, state.plan
        if state.asked_with is not None:
            if state.last is None and first is not None and state.since <= first.run_after <= plan_until:
                at = first.run_after
            state = replace(state, since=now)
        walk = _ScheduleWalk(schedule, state.since - delay, plan_until, self._grace, self._grids, state.last)
        return state, walk.next_slot(at if at != plan_until else None)

    def _delay(self, schedule: Schedule) -> Instant:
        """From 0 to the jitter, by the hash of the DAG id."""
        return schedule.jitter_s * SECOND * self._parts // 2**64

    def _difference(self, course: Sequence[SlotRun], rows: Sequence[SlotRun], entry: LogEntry | None) -> str:
        for number, expected_run in enumerate(course):
            if number >= len(rows):
                return f"{self._dag_id}: no run where {_describe_run(expected_run)} is expected (before {entry})"
            if rows[number] != expected_run:
                return f"{self._dag_id}: {_describe_run(rows[number])}, where {_describe_run(expected_run)} is expected (before {entry})"
        raise AssertionError("there is a difference")


@dataclass(slots=True)
class _ScheduleWalk:
    """Follows one schedule from its last slot, as seen from one instant (rules C and D)."""

    schedule: Schedule
    since: Instant
    now: Instant
    grace: Instant
    grids: CronGrids
    last: ExpectedSlot | None

    def decide_slot(self, due: ExpectedSlot) -> tuple[ExpectedSlot | None, bool]:
        """(slot, True): a run of this slot is created; (slot, False): this is the next slot to decide about."""
        s, before, late = self.schedule, due.run_after < self.since, self.now - due.run_after > self.grace
        window = None if s.window_s is None else self.since - s.window_s * SECOND
        if before and window is not None and due.run_after < window:
            return self._passed_until(due, window), False
        if not late or (s.catchup if before else s.rules_misfires == "all"):
            return due, True
        if not before and s.rules_misfires == "skip":
            return self._passed_until(due, self.now - self.grace), False
        upto = min(self.now, self.since - 1) if before and s.rules_misfires != "latest" else self.now
        newest = self._answer(upto, every=False)
        if newest is None and s.kind not in ("delta", "delta_intervals") and s.end_at is not None and s.end_at < upto:
            newest = self._last_up_to(due, upto)
        return (newest if newest is not None and due.run_after < newest.run_after <= upto else due), True

    def _last_up_to(self, due: ExpectedSlot, upto: Instant) -> ExpectedSlot:
        """The last slot that is due by then."""
        before, at = self.last, due
        self.last = due
        while (later := self._answer(upto, every=True)) is not None and later.run_after <= upto:
            self.last = at = later
        self.last = before
        return at

    def next_slot(self, plan_until: Instant | None = None) -> ExpectedSlot | None:
        """The slot after the last one, or the newest slot if the policy creates only that."""
        s, last = self.schedule, self.last
        latest = s.rules_misfires == "latest"
        every = s.catchup or (last is not None and last.run_after >= self.since)
        at = self.now if latest or s.catchup else min(self.now, self.since - 1)
        return self._answer(at if plan_until is None else plan_until, every=every)

    def slot_after(self, slot: ExpectedSlot) -> ExpectedSlot | None:
        """The slot after one that was decided about."""
        self.last = slot
        return self.next_slot()

    def _passed_until(self, due: ExpectedSlot, until: Instant) -> ExpectedSlot | None:
        following: ExpectedSlot | None = due
        while following is not None and following.run_after < until:
            following = self.slot_after(following)
        return following

    def _answer(self, at: Instant, *, every: bool) -> ExpectedSlot | None:
        return find_next_slot(self.schedule, self.last, at, self.grids, every=every)


def _apply_entry(state: _DagTimeline, entry: LogEntry) -> tuple[_DagTimeline, Instant]:
    """The state after an entry of the log, and the wall clock."""
    match entry:
        case DagDefined(schedule=schedule, paused=paused, at=at) if state.schedule is None:
            return replace(state, schedule=schedule, paused=paused, since=at), at
        case DagDefined(schedule=schedule):
            return replace(state, schedule=schedule), entry.at
        case DagPaused(paused=paused, at=at):
            return replace(state, paused=paused, since=state.since if paused else at), at
        case ManualRunTriggered(logical_at=logical_at):
            return replace(state, held=state.held | {logical_at}), entry.at
        case SchedulerKilled() | SchedulerStarted():
            return replace(state, is_scheduler_up=isinstance(entry, SchedulerStarted)), entry.at
        case ClockStepped(to=to):
            return state, to
        case StoreFaults(tries=tries):
            return state, tries[-1]


def _describe_run(slot_run: SlotRun) -> str:
    slot = slot_run.slot
    after, start, end, at = (
        to_datetime(i).isoformat() for i in (slot.run_after, slot.start, slot.end, slot_run.made_at)
    )
    return f"a run at {after} about {start} to {end}, made at {at}"
