"""The states of a task instance as a table: a missing row is an illegal transition.

Theory of operation. An instance begins without a state (None). When its rules let it run it is *ready*, which is not stored
(`engine.state.queue_state`); an instance that waits beyond its step is stored as `scheduled`. Admission creates an attempt
(`queued`); the worker reports when it enters author code (`running`) and when it ends. If the attempt ends and the instance
is not finished, the instance is `up_for_retry` or `up_for_reschedule` until a timer fires; if the attempt was lost before it
entered author code, the instance is `scheduled` again and no try is used. A task that defers is `deferred` without an
attempt; the event of its trigger finishes it, or lets it be admitted again within the same try. A task that asked a person
is `awaiting_input`, which is the same with an answer in place of an event. Clearing sets an instance
to None; a live one is `restarting` until its attempt has ended. Sources: airflow-surface.md D.2; LOAD, SUBMIT and RESULT in
docs/contributing/ownership.md.
"""

from __future__ import annotations

from enum import Enum

from gnomon.model.errors.product import IllegalTransition
from gnomon.model.states import FINISHED_TASK_STATES, WITHOUT_PROCESS_STATES
from gnomon.model.states import TaskInstanceState as S


class Cause(Enum):
    """Why a task instance changes its state."""

    WAIT = "ready, but not admitted in this step"
    ADMIT = "a worker, a pool slot and every limit allow it"
    ENTER = "the child process entered author code"
    SUCCEED = "the attempt succeeded"
    FAIL = "the attempt failed and no try is left"
    RETRY = "the attempt failed and a try is left"
    SKIP_SELF = "the task asked to be skipped"
    RESCHEDULE = "the sensor asked to be called again"
    DEFER = "the task deferred to a trigger"
    AWAIT_INPUT = "the task asked a person"
    START_WAIT = "the task starts from its trigger"
    EVENT_SUCCESS = "the event of its trigger finished it as success"
    EVENT_SKIP = "the event of its trigger skipped it, or its deferral timed out with soft_fail"
    LOSE = "the attempt was lost before it entered author code"
    RULE_SKIP = "the trigger rule says skip, or a branch did not choose it"
    RULE_UPSTREAM_FAILED = "the trigger rule cannot be met any more"
    EXPANSION_FAILED = "the mapped task cannot be expanded"
    NOTHING_TO_RUN = "the operator runs no code"
    CLEAR = "a user cleared it"
    CLEAR_LIVE = "a user cleared it while an attempt was live"
    MARK_SUCCESS = "a user marked it, or its run, as success"
    MARK_FAILED = "a user marked it as failed, or its run ended"
    MARK_SKIPPED = "a user marked it as skipped, or its run ended"
    REMOVE = "the task left the DAG, or its expansion has fewer instances now"

    __hash__ = object.__hash__
    """Members are single objects; Enum's own hash is a Python call on the hot path."""


_WAITING = (None, S.SCHEDULED, S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE)
_LIVE = (S.QUEUED, S.RUNNING)
_UNFINISHED = (*_WAITING, *_LIVE, S.RESTARTING, S.DEFERRED, S.AWAITING_INPUT)
_FINISHED = tuple(sorted(FINISHED_TASK_STATES))
_ANY = (*_UNFINISHED, *_FINISHED)

TRANSITIONS: dict[tuple[S | None, Cause], S | None] = {
    (None, Cause.WAIT): S.SCHEDULED,
    **{(state, Cause.WAIT): S.SCHEDULED for state in WITHOUT_PROCESS_STATES},
    **{(state, Cause.ADMIT): S.QUEUED for state in (*_WAITING, *WITHOUT_PROCESS_STATES)},
    **{(state, Cause.DEFER): S.DEFERRED for state in _LIVE},
    **{(state, Cause.AWAIT_INPUT): S.AWAITING_INPUT for state in _LIVE},
    **{(state, Cause.START_WAIT): S.DEFERRED for state in _WAITING},
    (S.DEFERRED, Cause.EVENT_SUCCESS): S.SUCCESS,
    **{(state, Cause.EVENT_SKIP): S.SKIPPED for state in WITHOUT_PROCESS_STATES},
    (S.QUEUED, Cause.ENTER): S.RUNNING,
    **{(state, Cause.SUCCEED): S.SUCCESS for state in _LIVE},
    **{(state, Cause.FAIL): S.FAILED for state in (*_LIVE, *WITHOUT_PROCESS_STATES)},
    **{(state, Cause.RETRY): S.UP_FOR_RETRY for state in (*_LIVE, *WITHOUT_PROCESS_STATES)},
    **{(state, Cause.SKIP_SELF): S.SKIPPED for state in _LIVE},
    **{(state, Cause.RESCHEDULE): S.UP_FOR_RESCHEDULE for state in _LIVE},
    **{(state, Cause.LOSE): S.SCHEDULED for state in _LIVE},
    **{(state, Cause.RULE_SKIP): S.SKIPPED for state in _WAITING},
    **{(state, Cause.RULE_UPSTREAM_FAILED): S.UPSTREAM_FAILED for state in _WAITING},
    **{(state, Cause.EXPANSION_FAILED): S.FAILED for state in _WAITING},
    **{(state, Cause.NOTHING_TO_RUN): S.SUCCESS for state in _WAITING},
    **{(state, Cause.CLEAR): None for state in (*_WAITING, *_FINISHED, S.RESTARTING, S.DEFERRED, S.AWAITING_INPUT)},
    **{(state, Cause.CLEAR_LIVE): S.RESTARTING for state in (*_LIVE, S.RESTARTING)},
    **{(state, Cause.MARK_SUCCESS): S.SUCCESS for state in _ANY},
    **{(state, Cause.MARK_FAILED): S.FAILED for state in _ANY},
    **{(state, Cause.MARK_SKIPPED): S.SKIPPED for state in _ANY},
    **{(state, Cause.REMOVE): S.REMOVED for state in _ANY},
}


def next_state(state: S | None, cause: Cause) -> S | None:
    """Return the state after `cause`; raises IllegalTransition when the table has no such row."""
    try:
        return TRANSITIONS[state, cause]
    except KeyError:
        raise IllegalTransition(state.value if state else "no status", cause.value) from None
