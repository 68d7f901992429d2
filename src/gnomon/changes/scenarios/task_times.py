"""How long a user says that a task takes, and the tasks whose lists he may give a length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from gnomon.model.mapping import ConcatLength, Expansion, Length, LiteralLength, XComLength, ZipLength
from gnomon.model.spec import DagSpec


class TaskTime(NamedTuple):
    """How long a task takes: so many seconds, or a factor of what it would take otherwise."""

    seconds: float | None
    factor: float = 1.0
    spread_s: float = 0.0
    """Each try takes up to so many seconds more, drawn evenly."""


def list_sources(spec: DagSpec) -> set[str]:
    """The tasks over whose lists others are mapped."""
    expansions = [task.expansion for task in spec.tasks] + list(spec.group_expansions.values())
    return {task_id for expansion in expansions if expansion is not None for task_id in _walk(expansion)}


def _walk(expansion: Expansion) -> Iterable[str]:
    pending: list[Length] = list(expansion.factors)
    while pending:
        part = pending.pop()
        if isinstance(part, XComLength):
            yield part.task_id
        elif isinstance(part, ZipLength | ConcatLength):
            pending += part.parts
        else:
            assert isinstance(part, LiteralLength)
