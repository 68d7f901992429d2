"""What a scheduler counts for `/metrics`: a few additions for each step, no reads of the store."""

from __future__ import annotations

from collections.abc import Iterable

from gnomon.ground.metrics import ProcessFigures, definitions
from gnomon.model.instants import SECOND, Instant
from gnomon.model.records import AttemptRecord, RunRecord
from gnomon.model.states import DagRunType
from gnomon.rules.engine.state.engine_state import EngineState
from gnomon.rules.engine.step_context import StepResult

PRUNE_AT = 4096
"""With more remembered submissions, those of attempts that are not live any more are forgotten."""
POOLS_MAX = 200
"""Pools that are shown one by one; the queues of further pools are added under one label."""


class SchedulerFigures:
    """The figures of one scheduler, counted after each commit."""

    def __init__(self, figures: ProcessFigures, engine_state: EngineState) -> None:
        self._figures = figures
        self._engine_state = engine_state
        self._submitted_at: dict[str, Instant] = {}
        """When live attempts were sent to their workers, by id; those of an earlier scheduler are not known."""

    def record_round(self, duration_s: float) -> None:
        """Count a round of this duration."""
        self._figures.observe(definitions.ROUND, duration_s)

    def record_step(self, result: StepResult, now: Instant) -> None:
        """Count the attempts and runs that ended in a step that is stored, and remember the attempts that it submitted."""
        for attempts in result.submits.values():
            for attempt in attempts:
                self._submitted_at[attempt.attempt_id] = now
        for ended in result.changes.attempts:
            self._record_attempt(ended)
        for run in result.changes.runs:
            if run.ended_at == now and run.started_at is not None:
                self._figures.observe(definitions.RUN_DURATION, (now - run.started_at) / SECOND, run.state.value)
        if len(self._submitted_at) > max(PRUNE_AT, 2 * len(self._engine_state.attempts)):
            self._submitted_at = {
                key: at for key, at in self._submitted_at.items() if key in self._engine_state.attempts
            }

    def _record_attempt(self, ended: AttemptRecord) -> None:
        submitted_at = self._submitted_at.pop(ended.attempt, None)
        if ended.kind != "task" or ended.started_at is None:
            return
        if submitted_at is not None:
            self._figures.observe(definitions.START_DELAY, (ended.started_at - submitted_at) / SECOND)
        if ended.ended_at is not None:
            self._figures.observe(
                definitions.ATTEMPT_DURATION, (ended.ended_at - ended.started_at) / SECOND, ended.state
            )

    def record_created(self, runs: Iterable[RunRecord], now: Instant) -> None:
        """Count the planned runs that were created."""
        for run in runs:
            if run.run_type is DagRunType.SCHEDULED:
                self._figures.observe(definitions.SCHEDULE_DELAY, (now - run.run_after) / SECOND)

    def update_gauges(self, groups: int, commits: int, refused_commits: int) -> None:
        """Set the gauges from the memory, before the figures are written."""
        figures, engine_state = self._figures, self._engine_state
        figures.put(definitions.GROUPS, groups)
        figures.put(definitions.COMMITS, commits)
        figures.put(definitions.REFUSED_COMMITS, refused_commits)
        figures.clear(definitions.CONNECTED_WORKERS)
        for worker_id in engine_state.workers:
            figures.put(definitions.CONNECTED_WORKERS, 1, worker_id)
        figures.put(definitions.LOADED_RUNS, len(engine_state.runs))
        figures.put(definitions.LIVE_ATTEMPTS, engine_state.live_attempt_count)
        figures.clear(definitions.READY_TASKS)
        pools = sorted(engine_state.pools.values(), key=lambda pool: pool.name)
        for pool in pools[:POOLS_MAX]:
            figures.put(definitions.READY_TASKS, len(pool.ready_queue) + len(pool.oversized), pool.name)
        if len(pools) > POOLS_MAX:
            figures.put(
                definitions.READY_TASKS,
                sum(len(pool.ready_queue) + len(pool.oversized) for pool in pools[POOLS_MAX:]),
                "other",
            )
