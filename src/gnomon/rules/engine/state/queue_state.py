"""The queue of a ready task instance as a table: a missing row is an illegal transition.

Theory of operation. A task instance is *ready* when its rules let it run; this is a second state beside the stored
`TaskInstanceState`, it is never stored, and a loaded run computes it again. A ready instance is in exactly one container:
the queue of its run for `task_instance_mutation_hook` (HOOK), the queue of its pool (POOL), the queue of a reached concurrency limit (LIMIT), the list of instances that need more slots
than the pool has (OVERSIZED), or the list of instances that the DAG holds back while it is paused or no file defines it (DAG).
Admission looks at POOL, and at LIMIT when the limit is free again; it moves an instance that it cannot admit to the
container of the reason. `move_in_queue` in `gnomon.rules.engine.state.queue_moves` is the only function that changes the state.
"""

from __future__ import annotations

from enum import Enum

from gnomon.model.errors.product import IllegalTransition


class QueueState(Enum):
    """The container that holds a task instance until it is admitted."""

    NONE = "not queued"
    """The rules hold the instance back, or it is submitted, running, deferred or finished."""
    HOOK = "waits for task_instance_mutation_hook"
    POOL = "in the queue of its pool"
    LIMIT = "in the queue of a reached limit"
    OVERSIZED = "needs more slots than its pool has"
    DAG = "held back by its DAG"

    __hash__ = object.__hash__
    """Members are single objects; Enum's own hash is a Python call on the hot path."""


class QueueCause(Enum):
    """Why a task instance changes its queue state."""

    HOOK_NEEDED = "its rules let it run, and task_instance_mutation_hook says in which pool"
    BECOME_READY = "its rules let it run"
    DAG_HELD = "its DAG is paused, or no file defines it"
    DAG_RESUMED = "its DAG may start tasks again"
    LIMIT_REACHED = "a concurrency limit is reached"
    POOL_TOO_SMALL = "it needs more slots than its pool has"
    PRIORITY_CHANGED = "a baseline has raised its priority, or no longer does"
    POOL_RESIZED = "its pool has another number of slots"
    DEQUEUE = "it was admitted, finished, cleared, deferred, or dropped from memory"

    __hash__ = object.__hash__


NOT_QUEUED = QueueState.NONE
"""The member under a name that is read without a lookup in the class: Python 3.11 takes longer for that than for a call."""

_QUEUED = (QueueState.HOOK, QueueState.POOL, QueueState.LIMIT, QueueState.OVERSIZED, QueueState.DAG)

QUEUE_TRANSITIONS: dict[tuple[QueueState, QueueCause], QueueState] = {
    (QueueState.NONE, QueueCause.HOOK_NEEDED): QueueState.HOOK,
    (QueueState.NONE, QueueCause.BECOME_READY): QueueState.POOL,
    (QueueState.NONE, QueueCause.DAG_HELD): QueueState.DAG,
    (QueueState.POOL, QueueCause.DAG_HELD): QueueState.DAG,
    (QueueState.LIMIT, QueueCause.DAG_HELD): QueueState.DAG,
    (QueueState.POOL, QueueCause.LIMIT_REACHED): QueueState.LIMIT,
    (QueueState.LIMIT, QueueCause.LIMIT_REACHED): QueueState.LIMIT,  # another limit than before
    (QueueState.POOL, QueueCause.POOL_TOO_SMALL): QueueState.OVERSIZED,
    (QueueState.LIMIT, QueueCause.POOL_TOO_SMALL): QueueState.OVERSIZED,
    (QueueState.POOL, QueueCause.PRIORITY_CHANGED): QueueState.POOL,
    (
        QueueState.LIMIT,
        QueueCause.PRIORITY_CHANGED,
    ): QueueState.POOL,  # admission moves it back where the limit is still reached
    (QueueState.OVERSIZED, QueueCause.PRIORITY_CHANGED): QueueState.POOL,
    (QueueState.OVERSIZED, QueueCause.POOL_RESIZED): QueueState.POOL,
    (QueueState.DAG, QueueCause.DAG_RESUMED): QueueState.POOL,
    **{(state, QueueCause.DEQUEUE): QueueState.NONE for state in _QUEUED},
}


def next_queue_state(state: QueueState, cause: QueueCause) -> QueueState:
    """Return the queue state after `cause`; raises IllegalTransition when the table has no such row."""
    try:
        return QUEUE_TRANSITIONS[state, cause]
    except KeyError:
        raise IllegalTransition(state.value, cause.value) from None
