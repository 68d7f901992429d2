"""Checks of the callbacks of a DAG and its tasks: what is no function fails only when it is called, so the DAG says it before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.signatures.old_arguments import CALLBACKS

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode

DAG_CALLBACKS = ("on_success_callback", "on_failure_callback")


def check_callbacks(dag: DagNode) -> None:
    """Warn about callbacks that cannot be called."""
    for name in DAG_CALLBACKS:
        _check_argument(dag, "", name, getattr(dag, name, None))
    for task in dag.tasks:
        for name in CALLBACKS:
            value = getattr(task, name, None)
            if value is not None:
                _check_argument(dag, f"task {task.task_id!r}{format_location(task._location)}: ", name, value)


def _check_argument(dag: DagNode, where: str, name: str, value: Any) -> None:
    for callback in value if isinstance(value, list | tuple) else (value,):
        if callback is not None and not callable(callback):
            dag.warn(
                f"{where}{name}= has {callback!r} ({type(callback).__name__}), which cannot be called: the callback will fail. Give a function or a notifier."
            )
