"""What is open right now in this process: the DAG and group being written, the context of the task being run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from gnomon.sdk.dags.node_types import DagNode, GroupNode
    from gnomon.sdk.dags.setup_teardown import Scope

_dags: list[DagNode] = []
_groups: list[GroupNode] = []
_scopes: list[Scope] = []
_task_contexts: list[Mapping[str, Any]] = []
_collections: list[list[DagNode]] = []


# Writing


def push_dag(dag: DagNode) -> None:
    """New tasks belong to `dag` until it is popped."""
    _dags.append(dag)


def pop_dag() -> DagNode:
    """The DAG pushed last is open no more; a collection in progress has it if it registers itself."""
    dag = _dags.pop()
    if _collections and dag.auto_register and not any(known is dag for known in _collections[-1]):
        _collections[-1].append(dag)
    return dag


def current_dag() -> DagNode | None:
    """The DAG whose `with` block or `@dag` function is running."""
    return _dags[-1] if _dags else None


def push_group(group: GroupNode) -> None:
    """New tasks stand in `group` until it is popped."""
    _groups.append(group)


def pop_group() -> GroupNode:
    """The group pushed last is open no more."""
    return _groups.pop()


def current_group(dag: DagNode | None) -> GroupNode | None:
    """The innermost open group of that DAG; its top level when none is open."""
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
    """The list fills with every DAG whose `with` block or `@dag` function ends meanwhile, unless auto_register=False."""
    found: list[DagNode] = []
    _collections.append(found)
    open_before = len(_dags), len(_groups), len(_scopes)
    try:
        yield found
    finally:
        _collections.pop()
        # A file that failed inside a `with` block must not leave its DAG open for the next file.
        del _dags[open_before[0]:], _groups[open_before[1]:], _scopes[open_before[2]:]


# Running


@contextmanager
def set_current_context(context: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """`get_current_context()` gives `context` meanwhile."""
    _task_contexts.append(context)
    try:
        yield context
    finally:
        _task_contexts.pop()


def get_current_context() -> Mapping[str, Any]:
    """The context of the task that runs in this process; RuntimeError outside of one."""
    if not _task_contexts:
        raise RuntimeError(
            "get_current_context() works only while a task runs; a DAG file being read has no context. "
            "Call it inside the task's function, or in execute()."
        )
    return _task_contexts[-1]


class ParsingContext(NamedTuple):
    """The DAG and task that the file is read for; None: for all that is in it."""

    dag_id: str | None = None
    task_id: str | None = None


_parsing_contexts: list[ParsingContext] = []


def get_parsing_context() -> ParsingContext:
    """What this file is being read for."""
    return _parsing_contexts[-1] if _parsing_contexts else ParsingContext()


@contextmanager
def set_parsing_context(dag_id: str | None, task_id: str | None = None) -> Iterator[None]:
    """`get_parsing_context()` names this DAG and task meanwhile."""
    _parsing_contexts.append(ParsingContext(dag_id, task_id))
    try:
        yield
    finally:
        _parsing_contexts.pop()
