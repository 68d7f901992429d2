"""What is open right now in this process: the DAG and group being written, the context of the task being run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gnomon.sdk.dag import DAG
    from gnomon.sdk.setup_teardown import Scope
    from gnomon.sdk.taskgroup import TaskGroup

_dags: list[DAG] = []
_groups: list[TaskGroup] = []
_scopes: list[Scope] = []
_contexts: list[Mapping[str, Any]] = []
_collections: list[list[DAG]] = []


# Writing


def push_dag(dag: DAG) -> None:
    """New tasks belong to `dag` until it is popped."""
    _dags.append(dag)


def pop_dag() -> DAG:
    """The DAG pushed last is open no more; a collection in progress has it if it registers itself."""
    dag = _dags.pop()
    if _collections and dag.auto_register and not any(known is dag for known in _collections[-1]):
        _collections[-1].append(dag)
    return dag


def current_dag() -> DAG | None:
    """The DAG whose `with` block or `@dag` function is running."""
    return _dags[-1] if _dags else None


def push_group(group: TaskGroup) -> None:
    """New tasks stand in `group` until it is popped."""
    _groups.append(group)


def pop_group() -> TaskGroup:
    """The group pushed last is open no more."""
    return _groups.pop()


def current_group(dag: DAG | None) -> TaskGroup | None:
    """The innermost open group of that DAG; its top level when none is open."""
    if dag is None:
        return _groups[-1] if _groups else None
    if _groups and _groups[-1].dag is dag:
        return _groups[-1]
    return dag.task_group


def scopes() -> list[Scope]:
    """The open `with setup:` / `with teardown:` blocks, outermost first."""
    return _scopes


@contextmanager
def collecting() -> Iterator[list[DAG]]:
    """The list fills with every DAG whose `with` block or `@dag` function ends meanwhile, unless auto_register=False."""
    found: list[DAG] = []
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
def running(context: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """`get_current_context()` gives `context` meanwhile."""
    _contexts.append(context)
    try:
        yield context
    finally:
        _contexts.pop()


def get_current_context() -> Mapping[str, Any]:
    """The context of the task that runs in this process; RuntimeError outside of one."""
    if not _contexts:
        raise RuntimeError(
            "get_current_context() works only while a task runs; a DAG file being read has no context. "
            "Call it inside the task's function, or in execute()."
        )
    return _contexts[-1]
