"""State of this process while a DAG file is read (open DAGs, groups and setup blocks) and while a task runs (its context)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, GroupNode
    from gnomon.authoring.sdk.nodes.setup_teardown import Scope

_dags: list[DagNode] = []
_groups: list[GroupNode] = []
_scopes: list[Scope] = []
_task_contexts: list[Mapping[str, Any]] = []
_collections: list[list[DagNode]] = []


# While a DAG file is read


def push_dag(dag: DagNode) -> None:
    """Make `dag` the DAG that new tasks belong to, until `pop_dag`."""
    _dags.append(dag)


def pop_dag() -> DagNode:
    """Remove the DAG pushed last and return it; `collect_dags` records the DAG unless its auto_register is False."""
    dag = _dags.pop()
    if _collections and dag.auto_register and not any(collected is dag for collected in _collections[-1]):
        _collections[-1].append(dag)
    return dag


def current_dag() -> DagNode | None:
    """Return the DAG whose `with` block or `@dag` function is running, or None."""
    return _dags[-1] if _dags else None


def push_group(group: GroupNode) -> None:
    """Make `group` the group that new tasks join, until `pop_group`."""
    _groups.append(group)


def pop_group() -> GroupNode:
    """Remove the group pushed last and return it."""
    return _groups.pop()


def current_group(dag: DagNode | None) -> GroupNode | None:
    """Return the innermost open group of `dag`, or the top level of `dag` when none is open."""
    if dag is None:
        return _groups[-1] if _groups else None
    if _groups and _groups[-1].dag is dag:
        return _groups[-1]
    return dag.task_group


def push_scope(scope: Scope) -> None:
    """Open a `with setup:` or `with teardown:` block; it becomes an inner block of the block that is open."""
    if _scopes:
        _scopes[-1].inner.append(scope)
    _scopes.append(scope)


def pop_scope() -> Scope:
    """Remove the innermost open block and return it."""
    return _scopes.pop()


def current_scope() -> Scope | None:
    """Return the innermost open `with setup:` or `with teardown:` block."""
    return _scopes[-1] if _scopes else None


@contextmanager
def collect_dags() -> Iterator[list[DagNode]]:
    """Yield a list that receives every DAG whose `with` block or `@dag` function ends inside this block.

    A DAG with auto_register=False is left out.
    """
    collected: list[DagNode] = []
    _collections.append(collected)
    open_before = len(_dags), len(_groups), len(_scopes)
    try:
        yield collected
    finally:
        _collections.pop()
        # A file that failed inside a `with` block must not leave its DAG open for the next file.
        del _dags[open_before[0] :], _groups[open_before[1] :], _scopes[open_before[2] :]


def is_collecting() -> bool:
    """Return whether a `collect_dags` block is open: a DAG file is being loaded."""
    return bool(_collections)


# While a task runs


class set_current_context:  # noqa: N801 - a context manager
    """`with set_current_context(context):` lets `get_current_context()` return `context` inside this block.

    A class, because a generator writes `__traceback__` of an exception that passes, which the class of an author's exception may refuse.
    """

    __slots__ = ("_context",)

    def __init__(self, context: Mapping[str, Any]) -> None:
        self._context = context

    def __enter__(self) -> Mapping[str, Any]:
        _task_contexts.append(self._context)
        return self._context

    def __exit__(self, *_: object) -> None:
        _task_contexts.pop()


def get_current_context() -> Mapping[str, Any]:
    """Return the context of the task that runs in this process.

    Raises RuntimeError when no task runs.
    """
    if not _task_contexts:
        raise RuntimeError(
            "get_current_context() works only while a task runs; a DAG file being read has no context. "
            "Call it inside the task's function, or in execute()."
        )
    return _task_contexts[-1]


def has_current_context() -> bool:
    """Return whether a task runs in this process."""
    return bool(_task_contexts)


class ParsingContext(NamedTuple):
    """The DAG and the task for which a DAG file is read; None means every DAG or task of the file."""

    dag_id: str | None = None
    task_id: str | None = None


_parsing_contexts: list[ParsingContext] = []


def get_parsing_context() -> ParsingContext:
    """Return the DAG and the task for which the current DAG file is read."""
    return _parsing_contexts[-1] if _parsing_contexts else ParsingContext()


@contextmanager
def set_parsing_context(dag_id: str | None, task_id: str | None = None) -> Iterator[None]:
    """Let `get_parsing_context()` return this DAG and task inside this block."""
    _parsing_contexts.append(ParsingContext(dag_id, task_id))
    try:
        yield
    finally:
        _parsing_contexts.pop()
