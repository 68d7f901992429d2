"""The ends of coming runs of independent DAGs in each future, kept for the next forecast: they depend on nothing but the DAG and the durations of its tasks."""

from __future__ import annotations

from array import array
from collections.abc import Callable

from gnomon.entry.projection.begun_runs import KnownRun
from gnomon.model.instants import Instant

NEEDS_ENGINE = -1
"""In place of an end: something is to be decided in the run."""
_UNKNOWN = 0
_RunSlot = tuple[Instant, Instant]
"""When a run is due, and when it starts."""


class RunEnds:
    """By DAG, run and future. The future is chosen by `sample`."""

    def __init__(self, samples: int) -> None:
        self._blank = array("q", [_UNKNOWN]) * samples
        self._dags: dict[str, dict[_RunSlot, array[int]]] = {}
        self.sample = 0

    def find(self, dag_id: str, run: KnownRun, draw: Callable[[], Instant]) -> Instant:
        """The end of a planned run, or NEEDS_ENGINE; drawn if it is not known."""
        runs = self._dags.get(dag_id)
        if runs is None:
            runs = self._dags[dag_id] = {}
        slot = (run.run_after, run.started_at)
        ends = runs.get(slot)
        if ends is None:
            ends = runs[slot] = self._blank[:]
        end = ends[self.sample]
        if end == _UNKNOWN:
            end = ends[self.sample] = draw()
        return end

    def forget_dag(self, dag_id: str) -> None:
        """The DAG, or the durations of its tasks, have changed."""
        self._dags.pop(dag_id, None)

    def forget_past(self, now: Instant) -> None:
        """Runs that start before `now` are planned no more."""
        for dag_id, runs in self._dags.items():
            self._dags[dag_id] = {slot: ends for slot, ends in runs.items() if slot[1] >= now}
