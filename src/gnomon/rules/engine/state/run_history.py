"""The runs of a DAG before and after another, for tasks that depend on the past."""

from __future__ import annotations

import bisect

from gnomon.model.instants import Instant
from gnomon.rules.engine.state.task_instance import DagRun


def find_previous_run(run: DagRun) -> DagRun | None:
    """The previous run of the same DAG in the order of `sort_key`; None for the first one."""
    history = run.dag.run_history
    position = bisect.bisect_left(history, run.sort_key, key=_sort_key_of)
    return history[position - 1] if position else None


def find_next_run(run: DagRun) -> DagRun | None:
    """The next run of the same DAG in the order of `sort_key`; None for the newest one."""
    history = run.dag.run_history
    position = bisect.bisect_right(history, run.sort_key, key=_sort_key_of)
    return history[position] if position < len(history) else None


def _sort_key_of(run: DagRun) -> tuple[Instant, int]:
    return run.sort_key
