"""`transition` and `undo_transition`: the only functions that change the state of a task instance, or of its row.

`transition` takes the row of the transition table (`gnomon.rules.decide.transitions`). The caller marks the instance as dirty, because
rows without an instance, and runs that are being loaded, have no step.
"""

from __future__ import annotations

from typing import Protocol

from gnomon.model.states import TaskInstanceState
from gnomon.rules.decide.transitions import TRANSITIONS, Cause, next_state


class HasState(Protocol):
    """A task instance, or the row of one."""

    state: TaskInstanceState | None


def transition(subject: HasState, cause: Cause) -> None:
    """Change the state by the row of the table for `cause`; raises IllegalTransition when the table has no such row."""
    try:
        subject.state = TRANSITIONS[subject.state, cause]
    except KeyError:
        subject.state = next_state(subject.state, cause)


def undo_transition(subject: HasState, state: TaskInstanceState | None) -> None:
    """Give the instance back the state that it had before an admission of the same step, which is not stored."""
    subject.state = state
