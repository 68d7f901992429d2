"""Warnings of a DAG that are about one of its tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.model.unchecked_sentences import say_unchecked

if TYPE_CHECKING:
    from gnomon.model.sentences import Sentence


def warn_about_task(task: Any, sentence: Sentence) -> None:
    """Add a warning to the DAG of the task, which names the task and its line."""
    place = format_location(task._location)
    task.dag.warn(say_unchecked("warning_of_task", task_id=task.task_id, place=place, message=sentence))
