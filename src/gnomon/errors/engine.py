"""Faults of our own rules: never an author's or an operator's."""

from __future__ import annotations


class IllegalMove(Exception):
    """A task instance was asked to make a move that the transition table does not have: a fault in Gnomon."""

    def __init__(self, state: str, cause: str) -> None:
        super().__init__(f"a task instance in state {state!r} cannot change because {cause!r}; please report this")
