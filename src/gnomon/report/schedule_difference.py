"""What changes when one schedule replaces another.

A run at the same instant about the same data is the same. One at the same instant about other data is `redefined`. Of the
rest, two of one local day are one run that `moved`: the nearest pair first, each run once. What is left was lost or gained.
A day with more than PAIRED_MOST of them has none that moved: among so many, nobody says which became which.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, tzinfo

from gnomon.model.instants import SECOND, Instant
from gnomon.model.slots import PlannedRun
from gnomon.report.listings.local_time import to_local

MAX_PAIRED = 24


@dataclass(frozen=True, slots=True)
class RunPair:
    """One run before and after."""

    before: PlannedRun
    after: PlannedRun

    @property
    def delay_s(self) -> float:
        """How many seconds later it is."""
        return (self.after.run_after - self.before.run_after) / SECOND


@dataclass(frozen=True, slots=True)
class ScheduleDifference:
    """All runs of both schedules, each in one place."""

    same: tuple[PlannedRun, ...]
    redefined: tuple[RunPair, ...]
    moved: tuple[RunPair, ...]
    lost: tuple[PlannedRun, ...]
    gained: tuple[PlannedRun, ...]

    @property
    def has_changes(self) -> bool:
        """Whether anything changes."""
        return bool(self.redefined or self.moved or self.lost or self.gained)

    def describe(self) -> str:
        """One line."""
        before = len(self.same) + len(self.redefined) + len(self.moved)
        parts = [(len(self.gained), "gained"), (len(self.lost), "lost"), (len(self.moved), "moved"), (len(self.same), "the same")]
        parts += [(len(self.redefined), "at the same time about other data")] if self.redefined else []
        counts = ", ".join(f"{count} {what}" for count, what in parts)
        return f"{_count_runs(before + len(self.lost))} before, {_count_runs(before + len(self.gained))} after: {counts}"


def compute_difference(before: Sequence[PlannedRun], after: Sequence[PlannedRun], zone: tzinfo) -> ScheduleDifference:
    """What becomes of each run when the schedule of `before` gives way to that of `after`; days are those of the zone."""
    old, new = {run.run_after: run for run in before}, {run.run_after: run for run in after}
    same = tuple(run for at, run in old.items() if at in new and _interval_of(run) == _interval_of(new[at]))
    redefined = tuple(RunPair(run, new[at]) for at, run in old.items() if at in new and _interval_of(run) != _interval_of(new[at]))
    lost = [run for at, run in old.items() if at not in new]
    gained = [run for at, run in new.items() if at not in old]
    moved = _pair_moved_runs(lost, gained, zone)
    left, come = {pair.before.run_after for pair in moved}, {pair.after.run_after for pair in moved}
    return ScheduleDifference(
        same=same,
        redefined=redefined,
        moved=tuple(sorted(moved, key=lambda pair: pair.before.run_after)),
        lost=tuple(run for run in lost if run.run_after not in left),
        gained=tuple(run for run in gained if run.run_after not in come),
    )


def _pair_moved_runs(lost: Sequence[PlannedRun], gained: Sequence[PlannedRun], zone: tzinfo) -> list[RunPair]:
    found: list[RunPair] = []
    days = _group_by_day(gained, zone)
    for day, gone in _group_by_day(lost, zone).items():
        come = days.get(day, [])
        if len(gone) <= MAX_PAIRED and len(come) <= MAX_PAIRED:
            found += _pair_nearest_runs(gone, come)
    return found


def _pair_nearest_runs(gone: Sequence[PlannedRun], come: Sequence[PlannedRun]) -> list[RunPair]:
    pairs = sorted((RunPair(one, two) for one in gone for two in come), key=lambda pair: (abs(pair.delay_s), pair.before.run_after))
    taken: set[tuple[bool, Instant]] = set()
    found: list[RunPair] = []
    for pair in pairs:
        ends = {(False, pair.before.run_after), (True, pair.after.run_after)}
        if not ends & taken:
            taken |= ends
            found.append(pair)
    return found


def _group_by_day(runs: Sequence[PlannedRun], zone: tzinfo) -> dict[date, list[PlannedRun]]:
    days: defaultdict[date, list[PlannedRun]] = defaultdict(list)
    for run in runs:
        days[to_local(run.run_after, zone).date()].append(run)
    return days


def _interval_of(run: PlannedRun) -> tuple[Instant | None, Instant | None]:
    return run.interval_start, run.interval_end


def _count_runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"
