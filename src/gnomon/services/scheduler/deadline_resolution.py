"""Deadlines that need the durations of ended runs: requested by a step, answered in the next round."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.ground import log
from gnomon.rules.engine import events as e
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.services.scheduler.step_failures import is_isolable
from gnomon.storage.store import Database
from gnomon.storage.store.dag_records.run_callbacks import compute_average_runtime

_log = log.get_logger("scheduler.deadline_resolution")

RESOLVED_PER_ROUND = 100
"""Most deadlines that one round resolves."""


class DeadlineResolver:
    """The deadlines (run_pk, deadline_no) that are still to be resolved."""

    def __init__(self, db: Database, engine_state: EngineState) -> None:
        self._db = db
        self._engine_state = engine_state
        self._waiting: dict[tuple[int, int], None] = {}

    def enqueue(self, unresolved: Iterable[tuple[int, int]]) -> None:
        """Resolve these deadlines with the next round."""
        self._waiting.update(dict.fromkeys(unresolved))

    @property
    def has_work(self) -> bool:
        """True while deadlines are to be resolved."""
        return bool(self._waiting)

    def resolve_batch(self) -> list[e.EngineEvent]:
        """A DeadlineResolved for each deadline, at most RESOLVED_PER_ROUND; a run that ended meanwhile is left out."""
        if not self._waiting:
            return []
        batch = list(self._waiting)[:RESOLVED_PER_ROUND]
        try:
            resolved = self._resolve(batch)
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            resolved = [event for key in batch for event in self._resolve_or_give_up(key)]
        for key in batch:
            del self._waiting[key]
        return resolved

    def _resolve(self, batch: Iterable[tuple[int, int]]) -> list[e.EngineEvent]:
        resolved: list[e.EngineEvent] = []
        with self._db.read() as tx:
            for run_pk, number in batch:
                run = self._engine_state.runs.get(run_pk)
                if run is not None and number < len(run.graph.spec.deadlines):
                    spec = run.graph.spec.deadlines[number]
                    average_s = compute_average_runtime(tx, run.record.dag_pk, spec.max_runs, spec.min_runs)
                    resolved.append(e.DeadlineResolved(run_pk, number, average_s))
        return resolved

    def _resolve_or_give_up(self, key: tuple[int, int]) -> list[e.EngineEvent]:
        """The event of one deadline, after several together have failed; without an average if it fails alone."""
        try:
            return self._resolve([key])
        except Exception as failure:
            if not is_isolable(failure, self._db):
                raise
            _log.exception("deadline_not_resolved", run_pk=key[0], deadline=key[1], error=str(failure))
            return [e.DeadlineResolved(*key, None)]

    def reset(self) -> None:
        """Forget all: the runs are loaded again, and request what they need."""
        self._waiting.clear()
