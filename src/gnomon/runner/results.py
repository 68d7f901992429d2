"""Results that are not the work of `run_attempt`: attempts that never got that far, or left no word."""

from __future__ import annotations

from gnomon.model.facts import Attempt, AttemptResult
from gnomon.model.instants import Instant


def without_run(
    attempt: Attempt,
    outcome: str,
    reason: str,
    *,
    entered: bool,
    exit_code: int | None = None,
    started_at: Instant | None = None,
    ended_at: Instant | None = None,
) -> AttemptResult:
    """The result of an attempt that ended outside its task's code."""
    return AttemptResult(
        attempt_id=attempt.attempt_id,
        group_no=attempt.group_no,
        run_pk=attempt.run.run_pk,
        task_no=attempt.task_no,
        map_index=attempt.map_index,
        outcome=outcome,
        reason=reason,
        entered=entered,
        exit_code=exit_code,
        started_at=started_at,
        ended_at=ended_at,
    )
