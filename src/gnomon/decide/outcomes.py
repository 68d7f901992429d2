"""How a run ends, from the states of its leaves. Source: airflow-surface.md D.3."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from gnomon.model.instants import SECOND, Instant
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S

_FAILED_STATES = frozenset({S.FAILED, S.UPSTREAM_FAILED})


def decide_run_outcome(leaves: Iterable[tuple[str, S | None]]) -> tuple[DagRunState, str | None]:
    """FAILED with a reason that names the leaves when one failed or could not run, else SUCCESS."""
    bad = [f"{task_id} ({state})" for task_id, state in leaves if state in _FAILED_STATES]
    if not bad:
        return DagRunState.SUCCESS, None
    shown = ", ".join(bad[:_MAX_LISTED]) + (f" and {len(bad) - _MAX_LISTED} more" if len(bad) > _MAX_LISTED else "")
    return DagRunState.FAILED, f"leaf tasks did not succeed: {shown}"


_MAX_LISTED = 5


RETRY_DELAY_CAP_S = 86_400.0
"""[core] max_task_retry_delay: no delay is longer."""
UNENTERED_LIMIT = 10
"""So many attempts of one task instance may be lost before author code was entered; then it fails."""


def has_try_left(try_number: int, max_tries: int) -> bool:
    """True when try `try_number` (from 1) may be followed by another; `max_tries` counts the retries."""
    return try_number <= max_tries


def compute_retry_at(task: TaskSpec, try_number: int, seed: str, now: Instant) -> Instant:
    """When the try after `try_number` may begin.

    Constant, or `delay * multiplier ** (try - 1)` with a jitter in [x, 2x) drawn from `seed`, capped.
    """
    delay_s = task.retry_delay_s
    if task.retry_exponential_backoff:
        multiplier = task.retry_exponential_backoff if task.retry_exponential_backoff != 1.0 else 2.0
        exponent = min(try_number - 1, _EXPONENT_MAX)
        delay_s = min(delay_s * multiplier**exponent, RETRY_DELAY_CAP_S)
        delay_s *= 1 + zlib.crc32(f"{seed}#{try_number}".encode()) / 2**32
        if task.max_retry_delay_s is not None:
            delay_s = min(delay_s, task.max_retry_delay_s)
    return now + int(min(delay_s, RETRY_DELAY_CAP_S) * SECOND)


_EXPONENT_MAX = 60
"""Beyond it the cap has long been reached; a larger power would overflow."""
