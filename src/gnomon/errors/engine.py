"""Faults of our own rules: never an author's or an operator's."""

from __future__ import annotations


class IllegalMove(Exception):
    """A task instance was asked to make a move that the transition table does not have: a fault in Gnomon."""

    def __init__(self, state: str, cause: str) -> None:
        super().__init__(f"a task instance in state {state!r} cannot change because {cause!r}; please report this")


class StepFailed(Exception):
    """A step failed where it should not have; `group_no` and `dag_id` say whose runs it was at, if it was at any."""

    def __init__(self, cause: Exception, group_no: int | None, dag_id: str | None) -> None:
        super().__init__(f"{type(cause).__name__}: {cause}")
        self.group_no = group_no
        self.dag_id = dag_id
