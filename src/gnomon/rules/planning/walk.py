"""Steps through one timetable from a cursor: to the next slot, to the newest, past skipped ones, which are recorded."""

from __future__ import annotations

from datetime import UTC
from itertools import islice

from gnomon.model.errors.timetable import PlanningError
from gnomon.model.instants import Instant, to_datetime
from gnomon.model.sentences import render, render_shared, say
from gnomon.model.slots import MAX_COUNTED_SLOTS, Cursor, PlannedRun, SkippedSlots, TimeRestriction
from gnomon.model.spec import DagSpec
from gnomon.rules.planning.author_methods import find_next_method
from gnomon.rules.planning.policies import PlanningPolicies
from gnomon.rules.planning.queries import ask_next
from gnomon.rules.planning.window import list_runs_in_window
from gnomon.rules.timetables.base import BuiltinTimetable, Timetable
from gnomon.rules.timetables.delta_timetable import DeltaTimetable
from gnomon.rules.timetables.simple_timetables import OnceTimetable

MAX_SKIPPED_PER_PLAN = 1000
"""Most slots that one plan skips one by one; the next plan continues."""


class TimetableWalk:
    """The position of a plan in one timetable. `cursor` moves as slots are created or skipped; `skipped` records the skipped."""

    def __init__(
        self, timetable: Timetable, dag: DagSpec, policies: PlanningPolicies, cursor: Cursor | None, now: Instant
    ) -> None:
        self._timetable = timetable
        self._dag = dag
        self._policies = policies
        self._now = now
        self._is_builtin = isinstance(timetable, BuiltinTimetable) and find_next_method(timetable) is None
        """True if no author's method takes part: the timetable may be evaluated at other instants than now."""
        self.cursor = cursor
        self.skipped: list[SkippedSlots] = []
        self._newest_run_at: Instant | None = None
        self.steps = 0

    def next_slot(self, seen_from: Instant | None = None) -> PlannedRun | None:
        """The slot after the cursor. Slots that the timetable left out on its way to the newest are recorded as skipped."""
        policies = self._policies
        every = policies.visits_every_slot(None if self.cursor is None else self.cursor.run_after)
        if not self._is_builtin and self._dag.misfire is None:
            every = policies.catchup  # an author's timetable decides by itself which slots it leaves out
        at = policies.view_instant(self._now) if seen_from is None else seen_from
        slot = self._ask(every, at)
        if slot is not None and not every and self._is_builtin and slot.run_after <= self._now:
            oldest = self._ask(True, at)
            if oldest is not None and oldest.run_after < slot.run_after:
                reason = render_shared(say("without_catchup_newest_runs"))
                self._record_range(
                    oldest.run_after, slot.run_after, self._count_slots(oldest.run_after, slot.run_after), reason
                )
        return slot

    def record_left_out(self) -> None:
        """Records the slots that a changed schedule leaves out because it continues after the last decided slot and its data interval.

        Asked without that slot, the timetable has a run due after it (or after now, if the clock was set back) that it does not
        have when asked with it: the data interval of that run begins no later than the last one (airflow-surface.md B.3).
        """
        last = self.cursor
        if last is None or not self._is_builtin or isinstance(self._timetable, DeltaTimetable):
            return
        if isinstance(self._timetable, OnceTimetable) and self._dag.start_at is None:
            return  # its slot is wherever one looks
        begin = min(last.run_after, self._now)
        try:
            slots = list_runs_in_window(
                self._timetable, start=begin + 1, most=1, earliest=self._dag.start_at, latest=self._dag.end_at
            ).runs
            following = self._ask(True, self._now)
        except PlanningError:
            return  # the next question fails too, and its error is recorded
        first = slots[0].run_after if slots else None
        until = following.run_after if following is not None else None if first is None else first + 1
        if first is not None and until is not None and first < until:
            reason = render(say("schedule_continues_after_last_slot", at=last.run_after))
            self._record_range(first, until, self._count_slots(first, until), reason)

    def create_run(self, due: PlannedRun) -> None:
        """The slot gets a run: the cursor moves to it, and what is skipped after it is recorded apart from what was skipped before it."""
        self.cursor = build_cursor(due)
        self._newest_run_at = due.run_after

    def peek(self, due: PlannedRun) -> PlannedRun | None:
        """The slot after `due`, without a decision; None if there is none or the timetable fails (the next call fails again)."""
        before, self.cursor = self.cursor, build_cursor(due)
        try:
            return self.next_slot()
        except PlanningError:
            return None
        finally:
            self.cursor = before

    def skip_to_newest(self, due: PlannedRun, upto: Instant, reason: str) -> PlannedRun:
        """The newest slot up to instant `upto`; `due` if there is no newer one.

        An author's timetable may ignore `catchup`: then the slot that it returns runs, as in Airflow, unless the DAG sets
        `misfire=`.
        """
        try:
            jumped = self._ask(False, upto)
        except PlanningError:
            return due  # the slot is known, so it runs; the error is recorded after it
        end_at = self._dag.end_at
        if jumped is None and self._is_builtin and end_at is not None and end_at < upto:
            jumped = self._newest_within(end_at, due, upto)
        if jumped is not None and due.run_after < jumped.run_after <= upto:
            self._record_range(
                due.run_after, jumped.run_after, self._count_slots(due.run_after, jumped.run_after), reason
            )
            due = jumped
        if self._is_builtin or self._dag.misfire is None:
            return due
        while self.steps < MAX_SKIPPED_PER_PLAN:
            later = self._find_later(due, upto)
            if later is None:
                break
            self.cursor = build_cursor(due)
            self.steps += 1
            self._record_range(due.run_after, later.run_after, 1, reason)
            due = later
        return due

    def _find_later(self, due: PlannedRun, upto: Instant) -> PlannedRun | None:
        """The slot after `due`, up to instant `upto`; None too when the timetable fails: `due` is known, so it runs, and the error is recorded after it."""
        before, self.cursor = self.cursor, build_cursor(due)
        try:
            later = self._ask(False, upto)
        except PlanningError:
            return None
        finally:
            self.cursor = before
        return None if later is None or later.run_after > upto else later

    def _newest_within(self, end_at: Instant, due: PlannedRun, upto: Instant) -> PlannedRun:
        """The newest slot up to the end date. A timetable returns None for the newest of all if that is after the end date."""
        if isinstance(self._timetable, DeltaTimetable):
            return due  # a late step is moved to now, so there is no newer one before the end date
        before, last = self.cursor, due
        try:
            near = self._ask(False, end_at)
            if near is not None and due.run_after < near.run_after <= upto:
                last = near
            for _ in range(MAX_SKIPPED_PER_PLAN):
                self.cursor = build_cursor(last)
                later = self._ask(True, upto)
                if later is None or later.run_after > upto:
                    break
                last = later
            return last
        finally:
            self.cursor = before

    def skip_before(self, due: PlannedRun, until: Instant, reason: str) -> PlannedRun | None:
        """The first slot at or after `until`; an earlier one if MAX_SKIPPED_PER_PLAN slots were skipped before."""
        following: PlannedRun | None = due
        if self._is_builtin and not isinstance(self._timetable, DeltaTimetable):
            last = self._ask(False, until - 1)
            if last is not None and due.run_after < last.run_after < until:
                self._record_range(
                    due.run_after, last.run_after, self._count_slots(due.run_after, last.run_after), reason
                )
                following = last
        while following is not None and following.run_after < until and self.steps < MAX_SKIPPED_PER_PLAN:
            following = self.skip_one(following, reason)
        return following

    def skip_one(self, due: PlannedRun, reason: str) -> PlannedRun | None:
        """Skips `due` and returns the slot after it."""
        self.cursor = build_cursor(due)
        self.record_skipped(due, reason)
        return self.next_slot()

    def record_skipped(self, due: PlannedRun, reason: str) -> None:
        """Records that this slot gets no run."""
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
        """Records skipped slots; consecutive ones with the same reason share an entry, unless a slot between them has a run."""
        last = self.skipped[-1] if self.skipped else None
        has_run_between = (
            last is not None and self._newest_run_at is not None and last.first <= self._newest_run_at < first
        )
        if last is not None and last.reason == reason and last.first <= first and not has_run_between:
            first, count = last.first, min(last.count + count, MAX_COUNTED_SLOTS)
            self.skipped.pop()
        self.skipped.append(SkippedSlots(first=first, until=until, count=count, reason=reason))

    def _count_slots(self, first: Instant, until: Instant) -> int:
        """The number of slots from `first` to before `until`, at most MAX_COUNTED_SLOTS; 1 for an author's timetable."""
        if not isinstance(self._timetable, BuiltinTimetable):
            return 1
        begin, end = (to_datetime(at).astimezone(UTC) for at in (first, until))
        return max(1, sum(1 for _ in islice(self._timetable.slots_between(begin, end), MAX_COUNTED_SLOTS)))


def build_cursor(slot: PlannedRun) -> Cursor:
    """The cursor after the decision about this slot."""
    return Cursor(run_after=slot.run_after, interval_start=slot.interval_start, interval_end=slot.interval_end)
