"""The life of a task instance as a table: a missing row is an illegal move.

Theory of operation. An instance begins with no status (None). When its rules say that it may run it is *ready*, which
is not written; what waits past its step is written as `scheduled`. Admission makes an attempt (`queued_runs`), which the
worker reports as entered (`running`) and ended. An attempt that ends without the instance being done leaves it in
`up_for_retry` or `up_for_reschedule` until a timer; one that was lost before it entered author code is `scheduled`
again and costs no try. A task that defers is `deferred` without an attempt; the event of its trigger ends it, or lets it be
admitted again within the same try. Clearing takes an instance back to None; a live one passes through `restarting` until its
attempt has ended. Source: airflow-surface.md D.2, OWNERSHIP.md lines 15 to 20.
"""

from __future__ import annotations

from enum import Enum

from gnomon.errors.product import IllegalTransition
from gnomon.model.states import FINISHED_TASK_STATES
from gnomon.model.states import TaskInstanceState as S


class Cause(Enum):
    """Why a task instance changes its state."""

    WAIT = "ready, but no slot in this step"
    ADMIT = "a worker, a pool slot and every limit allow it"
    ENTER = "the child entered author code"
    SUCCEED = "the attempt succeeded"
    FAIL = "the attempt failed and no try is left"
    RETRY = "the attempt failed and a try is left"
    SKIP_SELF = "the task asked to be skipped"
    RESCHEDULE = "the sensor asked to be called again"
    DEFER = "the task handed its waiting to a trigger"
    START_WAIT = "the task starts from its trigger"
    EVENT_SUCCESS = "the event of its trigger ended it as a success"
    EVENT_SKIP = "the event of its trigger skipped it, or its wait timed out softly"
    LOSE = "the attempt was lost before it entered author code"
    RULE_SKIP = "the trigger rule says skip, or a branch did not choose it"
    RULE_UPSTREAM_FAILED = "the trigger rule cannot be met any more"
    NOTHING_TO_RUN = "the operator runs no code"
    CLEAR = "somebody cleared it"
    CLEAR_LIVE = "somebody cleared it while an attempt was live"
    MARK_SUCCESS = "somebody marked it success, or its run"
    MARK_FAILED = "somebody marked it failed, or its run ended"
    MARK_SKIPPED = "somebody marked it skipped, or its run ended"
    REMOVE = "the task left the DAG"

    __hash__ = object.__hash__
    """Members are single objects; Enum's own hash is a Python call on the hot path."""


_WAITING = (None, S.SCHEDULED, S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE)
_LIVE = (S.QUEUED, S.RUNNING)
_UNFINISHED = (*_WAITING, *_LIVE, S.RESTARTING, S.DEFERRED, S.AWAITING_INPUT)
_FINISHED = tuple(sorted(FINISHED_TASK_STATES))
_ANY = (*_UNFINISHED, *_FINISHED)

TRANSITIONS: dict[tuple[S | None, Cause], S | None] = {
    (None, Cause.WAIT): S.SCHEDULED,
    (S.DEFERRED, Cause.WAIT): S.SCHEDULED,
    **{(state, Cause.ADMIT): S.QUEUED for state in (*_WAITING, S.DEFERRED)},
    **{(state, Cause.DEFER): S.DEFERRED for state in _LIVE},
    **{(state, Cause.START_WAIT): S.DEFERRED for state in _WAITING},
    (S.DEFERRED, Cause.EVENT_SUCCESS): S.SUCCESS,
    (S.DEFERRED, Cause.EVENT_SKIP): S.SKIPPED,
    (S.QUEUED, Cause.ENTER): S.RUNNING,
    **{(state, Cause.SUCCEED): S.SUCCESS for state in _LIVE},
    **{(state, Cause.FAIL): S.FAILED for state in (*_LIVE, S.DEFERRED)},
    **{(state, Cause.RETRY): S.UP_FOR_RETRY for state in (*_LIVE, S.DEFERRED)},
    **{(state, Cause.SKIP_SELF): S.SKIPPED for state in _LIVE},
    **{(state, Cause.RESCHEDULE): S.UP_FOR_RESCHEDULE for state in _LIVE},
    **{(state, Cause.LOSE): S.SCHEDULED for state in _LIVE},
    **{(state, Cause.RULE_SKIP): S.SKIPPED for state in _WAITING},
    **{(state, Cause.RULE_UPSTREAM_FAILED): S.UPSTREAM_FAILED for state in _WAITING},
    **{(state, Cause.NOTHING_TO_RUN): S.SUCCESS for state in _WAITING},
    **{(state, Cause.CLEAR): None for state in (*_WAITING, *_FINISHED, S.RESTARTING, S.DEFERRED, S.AWAITING_INPUT)},
    **{(state, Cause.CLEAR_LIVE): S.RESTARTING for state in (*_LIVE, S.RESTARTING)},
    **{(state, Cause.MARK_SUCCESS): S.SUCCESS for state in _ANY},
    **{(state, Cause.MARK_FAILED): S.FAILED for state in _ANY},
    **{(state, Cause.MARK_SKIPPED): S.SKIPPED for state in _ANY},
    **{(state, Cause.REMOVE): S.REMOVED for state in _ANY},
}


def next_state(state: S | None, cause: Cause) -> S | None:
    """The state after `cause`; IllegalMove when the table has no such row."""
    try:
        return TRANSITIONS[state, cause]
    except KeyError:
        raise IllegalTransition(state.value if state else "no status", cause.value) from None
