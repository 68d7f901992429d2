"""For what a DAG file is being read: a file that generates many DAGs may build one only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple


class ParsingContext(NamedTuple):
    """The DAG and task that the file is read for; None: for all that is in it."""

    dag_id: str | None = None
    task_id: str | None = None


_contexts: list[ParsingContext] = []


def get_parsing_context() -> ParsingContext:
    """What this file is being read for."""
    return _contexts[-1] if _contexts else ParsingContext()


@contextmanager
def parsing_for(dag_id: str | None, task_id: str | None = None) -> Iterator[None]:
    """`get_parsing_context()` names this DAG and task meanwhile."""
    _contexts.append(ParsingContext(dag_id, task_id))
    try:
        yield
    finally:
        _contexts.pop()
