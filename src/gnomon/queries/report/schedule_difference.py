"""The difference between the runs of two schedules, in a time window.

A run at the same instant with the same data interval is `same`; at the same instant with another data interval it is
`redefined`. A remaining run of the old schedule and one of the new schedule on the same local day are one run that `moved`: the
nearest pair first, each run once. The other runs are `lost` or `gained`. On a day with more than MAX_PAIRED runs to pair, no run
counts as moved: the pairs would be arbitrary.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, tzinfo

from gnomon.model.instants import SECOND, Instant
from gnomon.model.sentences import Sentence, say
from gnomon.model.slots import PlannedRun
from gnomon.queries.report.local_time import to_local

MAX_PAIRED = 24


@dataclass(frozen=True, slots=True)
class RunPair:
    """A run of the old schedule and the run of the new schedule that replaces it."""

    before: PlannedRun
    after: PlannedRun

    @property
    def delay_s(self) -> float:
        """By how many seconds the new run is later; negative when it is earlier."""
        return (self.after.run_after - self.before.run_after) / SECOND


@dataclass(frozen=True, slots=True)
class ScheduleDifference:
    """All runs of both schedules, each in exactly one of the fields."""

    same: tuple[PlannedRun, ...]
    redefined: tuple[RunPair, ...]
    moved: tuple[RunPair, ...]
    lost: tuple[PlannedRun, ...]
    gained: tuple[PlannedRun, ...]

    def describe(self) -> Sentence:
        """The numbers of runs in each field, in one line."""
        before = len(self.same) + len(self.redefined) + len(self.moved)
        counts = [
            say("runs_are_gained", total=len(self.gained)),
            say("runs_are_lost", total=len(self.lost)),
            say("runs_are_moved", total=len(self.moved)),
            say("runs_are_the_same", total=len(self.same)),
        ]
        if self.redefined:
            counts.append(say("runs_are_redefined", total=len(self.redefined)))
        return say(
            "runs_before_and_after",
            runs=say("runs_of_schedule", count=before + len(self.lost)),
            other=say("runs_of_schedule", count=before + len(self.gained)),
            phrases=tuple(counts),
        )


def compute_difference(before: Sequence[PlannedRun], after: Sequence[PlannedRun], zone: tzinfo) -> ScheduleDifference:
    """Compare the runs of the old schedule with those of the new one; local days are those of `zone`."""
    old, new = {run.run_after: run for run in before}, {run.run_after: run for run in after}
    same = tuple(run for at, run in old.items() if at in new and _interval_of(run) == _interval_of(new[at]))
    redefined = tuple(
        RunPair(run, new[at]) for at, run in old.items() if at in new and _interval_of(run) != _interval_of(new[at])
    )
    lost = [run for at, run in old.items() if at not in new]
    gained = [run for at, run in new.items() if at not in old]
    moved = _pair_moved_runs(lost, gained, zone)
    moved_from, moved_to = {pair.before.run_after for pair in moved}, {pair.after.run_after for pair in moved}
    return ScheduleDifference(
        same=same,
        redefined=redefined,
        moved=tuple(sorted(moved, key=lambda pair: pair.before.run_after)),
        lost=tuple(run for run in lost if run.run_after not in moved_from),
        gained=tuple(run for run in gained if run.run_after not in moved_to),
    )


def _pair_moved_runs(lost: Sequence[PlannedRun], gained: Sequence[PlannedRun], zone: tzinfo) -> list[RunPair]:
    pairs: list[RunPair] = []
    gained_by_day = _group_by_day(gained, zone)
    for day, lost_runs in _group_by_day(lost, zone).items():
        gained_runs = gained_by_day.get(day, [])
        if len(lost_runs) <= MAX_PAIRED and len(gained_runs) <= MAX_PAIRED:
            pairs += _pair_nearest_runs(lost_runs, gained_runs)
    return pairs


def _pair_nearest_runs(lost: Sequence[PlannedRun], gained: Sequence[PlannedRun]) -> list[RunPair]:
    candidates = sorted(
        (RunPair(old, new) for old in lost for new in gained),
        key=lambda pair: (abs(pair.delay_s), pair.before.run_after),
    )
    used: set[tuple[bool, Instant]] = set()
    pairs: list[RunPair] = []
    for pair in candidates:
        ends = {(False, pair.before.run_after), (True, pair.after.run_after)}
        if not ends & used:
            used |= ends
            pairs.append(pair)
    return pairs


def _group_by_day(runs: Sequence[PlannedRun], zone: tzinfo) -> dict[date, list[PlannedRun]]:
    days: defaultdict[date, list[PlannedRun]] = defaultdict(list)
    for run in runs:
        days[to_local(run.run_after, zone).date()].append(run)
    return days


def _interval_of(run: PlannedRun) -> tuple[Instant | None, Instant | None]:
    return run.interval_start, run.interval_end
