"""Checks of the callbacks of a DAG and its tasks: what is no function fails only when it is called, so the DAG says it before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.signatures.old_arguments import CALLBACKS
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.authoring.sdk.nodes.node_types import DagNode, TaskNode

DAG_CALLBACKS = ("on_success_callback", "on_failure_callback")


def check_callbacks(dag: DagNode) -> None:
    """Warn about callbacks that cannot be called."""
    for name in DAG_CALLBACKS:
        _check_argument(dag, None, name, getattr(dag, name, None))
    for task in dag.tasks:
        for name in CALLBACKS:
            value = getattr(task, name, None)
            if value is not None:
                _check_argument(dag, task, name, value)


def _check_argument(dag: DagNode, task: TaskNode | None, name: str, value: Any) -> None:
    for callback in value if isinstance(value, list | tuple) else (value,):
        if callback is not None and not callable(callback):
            sentence = say_unchecked(
                "callback_cannot_be_called", name=name, value=repr(callback), class_path=type(callback).__name__
            )
            if task is not None:
                place = format_location(task._location)
                sentence = say_unchecked("warning_of_task_in_dag", task_id=task.task_id, place=place, message=sentence)
            dag.warn(sentence)
