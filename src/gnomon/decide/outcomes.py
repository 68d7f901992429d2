"""Whether a try is followed by a retry and when, and how a run ends. Source: airflow-surface.md D.3."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

from gnomon.model.instants import Instant, add_seconds
from gnomon.model.spec import TaskSpec
from gnomon.model.states import DagRunState
from gnomon.model.states import TaskInstanceState as S

_FAILED_STATES = frozenset({S.FAILED, S.UPSTREAM_FAILED})


def decide_run_outcome(leaves: Iterable[tuple[str, S | None]]) -> tuple[DagRunState, str | None]:
    """The state of a run from its leaves, (task id, state): FAILED with a reason that names failed leaves, else SUCCESS."""
    failed = [f"{task_id} ({state})" for task_id, state in leaves if state in _FAILED_STATES]
    if not failed:
        return DagRunState.SUCCESS, None
    more = f" and {len(failed) - _MAX_LISTED} more" if len(failed) > _MAX_LISTED else ""
    return DagRunState.FAILED, f"leaf tasks did not succeed: {', '.join(failed[:_MAX_LISTED])}{more}"


_MAX_LISTED = 5


RETRY_DELAY_CAP_S = 86_400.0
"""[core] max_task_retry_delay: the longest delay, in seconds."""
UNENTERED_LIMIT = 10
"""After this many attempts in a row that were lost before they entered author code, the task instance fails."""

RESTARTS_MAX = 10
"""How often in a row an attempt of a restartable task that the installation lost runs again; then the loss costs the try."""
_RESTARTED = "; it runs again without costing a try, because the task is restartable ("
_OF_RESTARTS = f" of at most {RESTARTS_MAX})"


def format_restart(loss: str, number: int) -> str:
    """The reason of an attempt that was lost and runs again, for the `number`th time in a row (from 1)."""
    return f"{loss}{_RESTARTED}{number}{_OF_RESTARTS}"


def parse_restarts(reason: str | None) -> int:
    """The number in a reason of `format_restart`; 0 for any other reason."""
    if reason is None or not reason.endswith(_OF_RESTARTS):
        return 0
    number = reason.removesuffix(_OF_RESTARTS).rpartition(_RESTARTED)[2]
    return int(number) if number.isdecimal() and len(number) <= len(str(RESTARTS_MAX)) else 0


def has_try_left(try_number: int, max_tries: int) -> bool:
    """True when try `try_number` (from 1) may be followed by another; `max_tries` counts the retries."""
    return try_number <= max_tries


def compute_retry_at(task: TaskSpec, try_number: int, seed: str, now: Instant, decided_s: float | None = None) -> Instant:
    """When the try after `try_number` may start. `decided_s`: the delay in seconds that a retry policy decided.

    The delay is constant, or `delay * multiplier ** (try_number - 1)` times a factor in [1, 2) derived from `seed`; at most
    `max_retry_delay` and RETRY_DELAY_CAP_S.
    """
    if decided_s is not None:
        return add_seconds(now, min(max(decided_s, 0.0), RETRY_DELAY_CAP_S))
    delay_s = task.retry_delay_s
    if task.retry_exponential_backoff:
        multiplier = task.retry_exponential_backoff if task.retry_exponential_backoff != 1.0 else 2.0
        exponent = min(try_number - 1, _EXPONENT_MAX)
        delay_s = min(delay_s * _raise_power(multiplier, exponent), RETRY_DELAY_CAP_S)
        delay_s *= 1 + zlib.crc32(f"{seed}#{try_number}".encode()) / 2**32
        if task.max_retry_delay_s is not None:
            delay_s = min(delay_s, task.max_retry_delay_s)
    return add_seconds(now, min(max(delay_s, 0.0), RETRY_DELAY_CAP_S))


def _raise_power(multiplier: float, exponent: int) -> float:
    try:
        return multiplier**exponent
    except OverflowError:  # a multiplier of which a stored version knows no limit
        return RETRY_DELAY_CAP_S


_EXPONENT_MAX = 60
"""The largest exponent: the cap is reached long before, and a larger power would overflow."""
