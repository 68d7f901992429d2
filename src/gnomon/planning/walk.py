"""A walk along one timetable from a cursor: to the next slot, to the newest, past some; what is passed is noted."""

from __future__ import annotations

from datetime import UTC
from itertools import islice

from gnomon.errors.timetable import PlanningError
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.slots import MAX_COUNTED_SLOTS, Cursor, PlannedRun, SkippedSlots, TimeRestriction
from gnomon.model.spec import DagSpec
from gnomon.planning.author_methods import find_next_method
from gnomon.planning.policies import PlanningPolicies
from gnomon.planning.queries import ask_next
from gnomon.timetables.base import BuiltinTimetable, Timetable
from gnomon.timetables.delta_timetable import DeltaTimetable

MAX_PASSED = 1000
"""One call passes at most so many slots one by one; the next call goes on."""


class TimetableWalk:
    """Where planning stands in one timetable. `cursor` moves as slots are made or passed; `passed` grows."""

    def __init__(self, timetable: Timetable, dag: DagSpec, policies: PlanningPolicies, cursor: Cursor | None, now: Instant) -> None:
        self._timetable = timetable
        self._dag = dag
        self._policies = policies
        self._now = now
        self._is_ours = isinstance(timetable, BuiltinTimetable) and find_next_method(timetable) is None
        """No author has a say in it: it may be asked for other instants than now."""
        self.cursor = cursor
        self.passed: list[SkippedSlots] = []
        self.steps = 0

    def next_slot(self, seen_from: Instant | None = None) -> PlannedRun | None:
        """The slot after the cursor. What the timetable left out before it, going to the newest, is noted."""
        policies = self._policies
        every = policies.visits_every_slot(None if self.cursor is None else self.cursor.run_after)
        if not self._is_ours and self._dag.misfire is None:
            every = policies.catchup  # an author's timetable has a say in it
        at = policies.view_instant(self._now) if seen_from is None else seen_from
        found = self._ask(every, at)
        if found is not None and not every and self._is_ours and found.run_after <= self._now:
            oldest = self._ask(True, at)
            if oldest is not None and oldest.run_after < found.run_after:
                reason = "catchup=False: of the slots before the DAG was let run, only the newest runs"
                self._record_range(oldest.run_after, found.run_after, self._count_slots(oldest.run_after, found.run_after), reason)
        return found

    def peek(self, due: PlannedRun) -> PlannedRun | None:
        """The slot after `due`, nothing decided; None also when the timetable fails: it is asked again afterwards."""
        before, self.cursor = self.cursor, build_cursor(due)
        try:
            return self.next_slot()
        except PlanningError:
            return None
        finally:
            self.cursor = before

    def skip_to_newest(self, due: PlannedRun, upto: Instant, reason: str) -> PlannedRun:
        """The newest slot up to that instant; `due` when there is no newer one.

        An author's timetable may not know the word catchup: then what it answers runs, as in Airflow, unless the DAG says
        `misfire=` itself.
        """
        try:
            jumped = self._ask(False, upto)
        except PlanningError:
            return due  # it is known: it runs, and the error stands after it
        end_at = self._dag.end_at
        if jumped is None and self._is_ours and end_at is not None and end_at < upto:
            jumped = self._newest_within(end_at, due, upto)
        if jumped is not None and due.run_after < jumped.run_after <= upto:
            self._record_range(due.run_after, jumped.run_after, self._count_slots(due.run_after, jumped.run_after), reason)
            due = jumped
        if self._is_ours or self._dag.misfire is None:
            return due
        while self.steps < MAX_PASSED:
            before, self.cursor = self.cursor, build_cursor(due)
            later = self._ask(False, upto)
            if later is None or later.run_after > upto:
                self.cursor = before
                break
            self.steps += 1
            self._record_range(due.run_after, later.run_after, 1, reason)
            due = later
        return due

    def _newest_within(self, end_at: Instant, due: PlannedRun, upto: Instant) -> PlannedRun:
        """The newest slot that the end date allows; a timetable that is asked for the newest of all says that there is none."""
        if isinstance(self._timetable, DeltaTimetable):
            return due  # what is late is due now, or never
        before, last = self.cursor, due
        try:
            near = self._ask(False, end_at)
            if near is not None and due.run_after < near.run_after <= upto:
                last = near
            for _ in range(MAX_PASSED):
                self.cursor = build_cursor(last)
                later = self._ask(True, upto)
                if later is None or later.run_after > upto:
                    break
                last = later
            return last
        finally:
            self.cursor = before

    def skip_before(self, due: PlannedRun, until: Instant, reason: str) -> PlannedRun | None:
        """The first slot that is not before `until`; one before it when MOST_PASSED of them were passed."""
        following: PlannedRun | None = due
        if self._is_ours and not isinstance(self._timetable, DeltaTimetable):
            last = self._ask(False, until - 1)
            if last is not None and due.run_after < last.run_after < until:
                self._record_range(due.run_after, last.run_after, self._count_slots(due.run_after, last.run_after), reason)
                following = last
        while following is not None and following.run_after < until and self.steps < MAX_PASSED:
            following = self.skip_one(following, reason)
        return following

    def skip_one(self, due: PlannedRun, reason: str) -> PlannedRun | None:
        """The slot after `due`, which is not made."""
        self.cursor = build_cursor(due)
        self.record_skipped(due, reason)
        return self.next_slot()

    def record_skipped(self, due: PlannedRun, reason: str) -> None:
        """No run is made for this slot."""
        self.steps += 1
        self._record_range(due.run_after, due.run_after + 1, 1, reason)

    def _ask(self, every: bool, seen_from: Instant) -> PlannedRun | None:
        dag = self._dag
        bounds = TimeRestriction(
            earliest=None if dag.start_at is None else to_datetime(dag.start_at),
            latest=None if dag.end_at is None else to_datetime(dag.end_at),
            catchup=every,
        )
        return ask_next(self._timetable, self.cursor, bounds, seen_from)

    def _record_range(self, first: Instant, until: Instant, count: int, reason: str) -> None:
        """One note for what one reason passed in a row."""
        last = self.passed[-1] if self.passed else None
        if last is not None and last.reason == reason and last.first <= first:
            first, count = last.first, min(last.count + count, MAX_COUNTED_SLOTS)
            self.passed.pop()
        self.passed.append(SkippedSlots(first=first, until=until, count=count, reason=reason))

    def _count_slots(self, first: Instant, until: Instant) -> int:
        """How many slots there are; COUNT_MOST for more."""
        if not isinstance(self._timetable, BuiltinTimetable):
            return 1
        begin, end = (to_datetime(at).astimezone(UTC) for at in (first, until))
        return max(1, sum(1 for _ in islice(self._timetable.slots_between(begin, end), MAX_COUNTED_SLOTS)))


def build_cursor(slot: PlannedRun) -> Cursor:
    """The cursor when this slot was decided on last."""
    return Cursor(run_after=slot.run_after, interval_start=slot.interval_start, interval_end=slot.interval_end)
