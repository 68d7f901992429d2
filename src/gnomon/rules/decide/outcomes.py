"""Whether a try is followed by a retry and when, and how a run ends. Source: airflow-surface.md D.3."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from gnomon.model.instants import Instant, add_seconds
from gnomon.model.sentences import Sentence, list_literals, quote, render, say
from gnomon.model.spec import TaskSpec
from gnomon.model.states import FAILED_TASK_STATES, DagRunState
from gnomon.model.states import TaskInstanceState as S


def decide_run_outcome(leaves: Iterable[S | None]) -> DagRunState:
    """The state of a run from the states of its leaves: FAILED if one of them failed or is upstream_failed, else SUCCESS."""
    return DagRunState.FAILED if any(state in FAILED_TASK_STATES for state in leaves) else DagRunState.SUCCESS


class EndedInstance(NamedTuple):
    """A task instance of a failed run."""

    name: str
    state: S | None
    reason: str | None
    ended_at: Instant | None


def describe_run_failure(causes: Iterable[EndedInstance], leaves: Iterable[EndedInstance]) -> str:
    """Why a run failed: the tasks that failed, the first of them with their reasons, and the leaves that are upstream_failed because of them.

    `causes`: the failed instances among the failed leaves and what is above them. Without any, the leaves are named with their reasons.
    """
    return render(_describe_run_failure(causes, leaves))


def _describe_run_failure(causes: Iterable[EndedInstance], leaves: Iterable[EndedInstance]) -> Sentence:
    failed = sorted(causes, key=lambda instance: (is_fail_fast(instance.reason), instance.ended_at or 0, instance.name))
    victims = [leaf.name for leaf in leaves if leaf.state is S.UPSTREAM_FAILED]
    if not failed:
        ended = [leaf for leaf in leaves if leaf.state in FAILED_TASK_STATES]
        clauses = tuple(_describe_instance(leaf, str(leaf.state)) for leaf in ended[:_MAX_REASONS])
        return say("run_failure", clauses=clauses, more=_count_others(ended, _MAX_REASONS))
    clauses = tuple(_describe_instance(instance, S.FAILED) for instance in failed[:_MAX_REASONS])
    more = _count_others(failed, _MAX_REASONS)
    if not victims:
        return say("run_failure", clauses=clauses, more=more)
    names, other = ", ".join(victims[:_MAX_LISTED]), _count_others(victims, _MAX_LISTED)
    return say("run_failure_with_victims", clauses=clauses, more=more, names=names, other=other)


def build_fail_fast_reason(task: str) -> str:
    """The reason of the instances that `fail_fast` stopped because that task failed."""
    return render(say("fail_fast_stops", task_id=task))


def is_fail_fast(reason: str | None) -> bool:
    """Whether a reason is one of `build_fail_fast_reason`."""
    return reason is not None and reason.startswith(_FAIL_FAST)


def _describe_instance(instance: EndedInstance, state: str) -> Sentence:
    line = next((line for line in map(str.strip, (instance.reason or "").splitlines()) if line), "")
    shown = line if len(line) <= _MAX_REASON_CHARS else line[:_MAX_REASON_CHARS] + "…"
    reason = say("because", why=quote(shown)) if line else None
    return say("instance_ended", task_id=instance.name, state=state, stored=reason)


def _count_others(items: Sequence[object], most: int) -> Sentence | None:
    return say("and_more", count=len(items) - most) if len(items) > most else None


_FAIL_FAST = list_literals("fail_fast_stops")[0]
_MAX_LISTED = 5
_MAX_REASONS = 3
_MAX_REASON_CHARS = 300


class RunStop(NamedTuple):
    """How a run is ended from outside: the state that it ends in, and why."""

    state: DagRunState
    reason: str
    callback_reason: str | None = None
    """The `reason` of the context of callbacks; None: a user marked the run, which calls no callback of the DAG."""


def build_mark(state: str, by: str) -> RunStop:
    """The end of a run that a user marked."""
    return RunStop(DagRunState(state), describe_mark(state, by))


def describe_mark(state: str, by: str) -> str:
    """The reason of a run or a task instance that a user marked."""
    return render(say("marked_by", state=state, by=by))


def build_overlap_end(run_id: str) -> RunStop:
    """The end of a run because the run with this id was due, with overlap="cancel_running"."""
    return RunStop(DagRunState.FAILED, render(say("run_was_overlapped", run=run_id)), "cancel_running")


def parse_run_stop(reason: str | None) -> RunStop | None:
    """The end that a reason of an unfinished run stands for: its teardowns still run; None for any other reason."""
    if reason is None:
        return None
    if reason.startswith(_OVERLAP_END):
        return RunStop(DagRunState.FAILED, reason, "cancel_running")
    return next((RunStop(state, reason) for state, mark in _MARKS.items() if reason.startswith(mark)), None)


_OVERLAP_END = list_literals("run_was_overlapped")[0]
_MARKS = {state: describe_mark(state, "") for state in (DagRunState.SUCCESS, DagRunState.FAILED)}

RETRY_DELAY_CAP_S = 86_400.0
"""[core] max_task_retry_delay: the longest delay, in seconds."""
UNENTERED_LIMIT = 10
"""After this many attempts in a row that were lost before they entered author code, the task instance fails."""

RESTARTS_MAX = 10
"""How often in a row an attempt of a restartable task that the installation lost runs again; then the loss costs the try."""
_RESTARTED, _of_most, _end = list_literals("restarted")[1:]
_OF_RESTARTS = f"{_of_most}{RESTARTS_MAX}{_end}"


def format_restart(loss: str, number: int) -> str:
    """The reason of an attempt that was lost and runs again, for the `number`th time in a row (from 1)."""
    return render(say("restarted", reason=loss, number=number, most=RESTARTS_MAX))


def parse_restarts(reason: str | None) -> int:
    """The number in a reason of `format_restart`; 0 for any other reason."""
    if reason is None or not reason.endswith(_OF_RESTARTS):
        return 0
    number = reason.removesuffix(_OF_RESTARTS).rpartition(_RESTARTED)[2]
    return int(number) if number.isdecimal() and len(number) <= len(str(RESTARTS_MAX)) else 0


def has_try_left(try_number: int, max_tries: int) -> bool:
    """True when try `try_number` (from 1) may be followed by another; `max_tries` counts the retries."""
    return try_number <= max_tries


def compute_retry_at(
    task: TaskSpec, try_number: int, seed: str, now: Instant, decided_s: float | None = None
) -> Instant:
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
