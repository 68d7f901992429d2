"""Futures of both worlds, drawn with the same random numbers, and everything that the answer is made of."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from gnomon.author_code.timetable_host import TimetableHost
from gnomon.changes.scenarios.expectation import Expectation
from gnomon.entry.projection.attempt_counter import MAX_KEPT_ATTEMPTS, AttemptCounter
from gnomon.entry.projection.baseline_forecast import BaselineCollector, DueSubject
from gnomon.entry.projection.expectations import list_violations
from gnomon.entry.projection.futures import Futures
from gnomon.entry.projection.pool_load import LoadCollector
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.entry.projection.what_if.changed_times import ChangedTimes
from gnomon.entry.projection.what_if.changed_world import World
from gnomon.entry.projection.what_if.world_runs import RunKey, WorldRuns
from gnomon.model.instants import Instant
from gnomon.model.sentences import Sentence

LOAD_SAMPLES = 20
"""The load of pools is that of so many futures: each keeps the slots of all pools by five minutes."""


@dataclass(frozen=True)
class BothDrawing:
    """How futures are drawn: so many, fewer if that takes longer than `max_s` seconds, but one in any case."""

    samples: int
    seed: int
    assumed_s: float
    max_s: float


@dataclass
class BrokenShare:
    """How often an expectation is broken."""

    count: int = 0
    why: Sentence | None = None
    """The first that breaks it."""


class WorldFutures:
    """One world, and what its futures say."""

    def __init__(
        self,
        world: World,
        until: Instant,
        subjects: Sequence[DueSubject],
        expectations: Sequence[Expectation],
        timetables: TimetableHost | None,
    ) -> None:
        snapshot = world.snapshot
        self.world = world
        self.subjects = subjects
        self.specs = world.specs
        self.runs = WorldRuns(self.specs)
        self.baselines = BaselineCollector(subjects, snapshot)
        self.loads = LoadCollector(snapshot.at, until, self.specs, world.pools)
        self.expectations: dict[str, BrokenShare] = {each.text: BrokenShare() for each in expectations}
        self.assumed: dict[tuple[str, str], None] = {}
        self.judged = expectations
        self._until = until
        self._futures = Futures(snapshot, world.settings, until, timetables, with_tasks=True)
        self._zones = {dag.dag_id: dag.spec.local_timezone for dag in snapshot.state.dags}

    def draw(self, sample: int, drawing: BothDrawing) -> list[RunOutcome]:
        """The runs of one future, with their tasks. Raises UserError for one that has too many, or does not end."""
        snapshot, times = self.world.snapshot, self.world.times
        script = ChangedTimes(snapshot, self._zones, times, drawing.assumed_s, drawing.seed, sample)
        future = self._futures.project(
            script, lambda: AttemptCounter(snapshot.at, self._until, len(self.specs), MAX_KEPT_ATTEMPTS)
        )
        self.assumed.update(script.assumed)
        return future.list_due(self._until)

    def add(self, runs: Sequence[RunOutcome]) -> dict[RunKey, Instant]:
        """Keep what one future says; returns the ends of its runs."""
        ends = self.runs.add(runs)
        if self.subjects:
            self.baselines.add(runs)
        if self.runs.samples <= LOAD_SAMPLES:
            self.loads.add(runs)
        for expectation in self.judged:
            violations = list_violations([expectation], runs, self.specs, self._until)
            if violations:
                share = self.expectations[expectation.text]
                share.count += 1
                share.why = share.why or violations[0].sentence
        return ends


@dataclass
class BothFutures:
    """Both worlds after their futures were drawn."""

    before: WorldFutures
    after: WorldFutures
    shifts: list[int] = field(default_factory=list)
    """By future: how much later all runs end, in sum."""

    def find_middle_sample(self) -> int:
        """The future whose shift is in the middle: it stands for all where one must be looked at."""
        order = sorted(range(len(self.shifts)), key=lambda sample: (self.shifts[sample], sample))
        return order[len(order) // 2]


def draw_both(
    before: WorldFutures,
    after: WorldFutures,
    drawing: BothDrawing,
    tell: Callable[[int], object] = lambda _samples: None,
    clock: Callable[[], float] = time.monotonic,
) -> BothFutures:
    """Draw futures of both. `tell`: called with the number of futures after each."""
    began, both = clock(), BothFutures(before, after)
    for sample in range(drawing.samples):
        ends = before.add(before.draw(sample, drawing))
        other_ends = after.add(after.draw(sample, drawing))
        both.shifts.append(sum(end - ends[key] for key, end in other_ends.items() if key in ends))
        tell(sample + 1)
        if clock() - began > drawing.max_s:
            break
    return both
