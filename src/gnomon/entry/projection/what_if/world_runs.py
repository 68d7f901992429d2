"""What many futures of one world say of its runs: each run once, as it is in the middle of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from gnomon.entry.projection.forecast import LATE, MEDIAN, find_quantile
from gnomon.entry.projection.run_outcomes import RunOutcome
from gnomon.model.instants import Instant
from gnomon.model.spec import DagSpec
from gnomon.model.states import DagRunState

RunKey = tuple[str, str, Instant | None, int]
"""DAG, type, due time (None where other runs decide about it), and the place among the runs with these."""
_FAILS = 0.5
_RARE = 0.5
"""A run that fewer futures have is left out."""


@dataclass
class _DrawnRun:
    run_id: str
    queued_at: Instant
    due: list[Instant] = field(default_factory=list)
    starts: list[Instant] = field(default_factory=list)
    ends: list[Instant] = field(default_factory=list)
    count: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class TypicalRun:
    """A run in the middle of the futures, and its end in nine of ten."""

    key: RunKey
    outcome: RunOutcome
    end_p90: Instant | None
    failed_share: float


class WorldRuns:
    """Sees the runs of each future of one world."""

    def __init__(self, specs: Mapping[str, DagSpec]) -> None:
        self._unclocked = {
            dag_id for dag_id, spec in specs.items() if spec.timetable.follows_runs or spec.timetable.is_continuous
        }
        self._drawn: dict[RunKey, _DrawnRun] = {}
        self.samples = 0

    def add(self, runs: Iterable[RunOutcome]) -> dict[RunKey, Instant]:
        """One future; returns the ends of its runs."""
        self.samples += 1
        ends: dict[RunKey, Instant] = {}
        for key, run in self.name_runs(runs):
            drawn = self._drawn.get(key)
            if drawn is None:
                drawn = self._drawn[key] = _DrawnRun(run.run_id, run.queued_at)
            drawn.count += 1
            drawn.failed += run.state is DagRunState.FAILED
            drawn.due.append(run.run_after)
            if run.started_at is not None:
                drawn.starts.append(run.started_at)
            if run.ended_at is not None:
                drawn.ends.append(run.ended_at)
                ends[key] = run.ended_at
        return ends

    def name_runs(self, runs: Iterable[RunOutcome]) -> Iterator[tuple[RunKey, RunOutcome]]:
        """Each run with its key, which is the same in all futures."""
        places: dict[tuple[str, str, Instant | None], int] = defaultdict(int)
        for run in sorted(runs, key=lambda run: (run.run_after, run.run_pk)):
            is_caused = run.run_type == "asset_triggered" or run.dag_id in self._unclocked
            slot = (run.dag_id, run.run_type, None if is_caused else run.run_after)
            yield (*slot, places[slot]), run
            places[slot] += 1

    def build(self) -> list[TypicalRun]:
        """The runs that most futures have, by their due time."""
        runs = [
            _build(key, number, drawn)
            for number, (key, drawn) in enumerate(self._drawn.items(), 1)
            if drawn.count >= _RARE * self.samples
        ]
        return sorted(runs, key=lambda run: (run.outcome.run_after, run.outcome.run_pk))


def _build(key: RunKey, number: int, drawn: _DrawnRun) -> TypicalRun:
    starts, ends = sorted(drawn.starts), sorted(drawn.ends)
    end = find_quantile(ends, drawn.count, MEDIAN)
    failed_share = drawn.failed / drawn.count
    state = DagRunState.FAILED if failed_share > _FAILS else DagRunState.SUCCESS
    outcome = RunOutcome(
        dag_id=key[0],
        run_pk=number,
        run_id=drawn.run_id,
        run_type=key[1],
        run_after=sorted(drawn.due)[len(drawn.due) // 2],
        state=DagRunState.RUNNING if end is None else state,
        queued_at=drawn.queued_at,
        started_at=find_quantile(starts, drawn.count, MEDIAN),
        ended_at=end,
    )
    return TypicalRun(key, outcome, find_quantile(ends, drawn.count, LATE), failed_share)
