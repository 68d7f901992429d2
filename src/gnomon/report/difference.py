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
from gnomon.report.slots import local

PAIRED_MOST = 24


@dataclass(frozen=True, slots=True)
class Pair:
    """One run before and after."""

    before: PlannedRun
    after: PlannedRun

    @property
    def by_s(self) -> float:
        """How many seconds later it is."""
        return (self.after.run_after - self.before.run_after) / SECOND


@dataclass(frozen=True, slots=True)
class Difference:
    """All runs of both schedules, each in one place."""

    same: tuple[PlannedRun, ...]
    redefined: tuple[Pair, ...]
    moved: tuple[Pair, ...]
    lost: tuple[PlannedRun, ...]
    gained: tuple[PlannedRun, ...]

    @property
    def any(self) -> bool:
        """Whether anything changes."""
        return bool(self.redefined or self.moved or self.lost or self.gained)

    def in_words(self) -> str:
        """One line."""
        before = len(self.same) + len(self.redefined) + len(self.moved)
        parts = [(len(self.gained), "gained"), (len(self.lost), "lost"), (len(self.moved), "moved"), (len(self.same), "the same")]
        parts += [(len(self.redefined), "at the same time about other data")] if self.redefined else []
        counts = ", ".join(f"{count} {what}" for count, what in parts)
        return f"{_runs(before + len(self.lost))} before, {_runs(before + len(self.gained))} after: {counts}"


def difference(before: Sequence[PlannedRun], after: Sequence[PlannedRun], zone: tzinfo) -> Difference:
    """What becomes of each run when the schedule of `before` gives way to that of `after`; days are those of the zone."""
    old, new = {run.run_after: run for run in before}, {run.run_after: run for run in after}
    same = tuple(run for at, run in old.items() if at in new and _about(run) == _about(new[at]))
    redefined = tuple(Pair(run, new[at]) for at, run in old.items() if at in new and _about(run) != _about(new[at]))
    lost = [run for at, run in old.items() if at not in new]
    gained = [run for at, run in new.items() if at not in old]
    moved = _moved(lost, gained, zone)
    left, come = {pair.before.run_after for pair in moved}, {pair.after.run_after for pair in moved}
    return Difference(
        same=same,
        redefined=redefined,
        moved=tuple(sorted(moved, key=lambda pair: pair.before.run_after)),
        lost=tuple(run for run in lost if run.run_after not in left),
        gained=tuple(run for run in gained if run.run_after not in come),
    )


def _moved(lost: Sequence[PlannedRun], gained: Sequence[PlannedRun], zone: tzinfo) -> list[Pair]:
    found: list[Pair] = []
    days = _by_day(gained, zone)
    for day, gone in _by_day(lost, zone).items():
        come = days.get(day, [])
        if len(gone) <= PAIRED_MOST and len(come) <= PAIRED_MOST:
            found += _nearest(gone, come)
    return found


def _nearest(gone: Sequence[PlannedRun], come: Sequence[PlannedRun]) -> list[Pair]:
    pairs = sorted((Pair(one, two) for one in gone for two in come), key=lambda pair: (abs(pair.by_s), pair.before.run_after))
    taken: set[tuple[bool, Instant]] = set()
    found: list[Pair] = []
    for pair in pairs:
        ends = {(False, pair.before.run_after), (True, pair.after.run_after)}
        if not ends & taken:
            taken |= ends
            found.append(pair)
    return found


def _by_day(runs: Sequence[PlannedRun], zone: tzinfo) -> dict[date, list[PlannedRun]]:
    days: defaultdict[date, list[PlannedRun]] = defaultdict(list)
    for run in runs:
        days[local(run.run_after, zone).date()].append(run)
    return days


def _about(run: PlannedRun) -> tuple[Instant | None, Instant | None]:
    return run.interval_start, run.interval_end


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"
