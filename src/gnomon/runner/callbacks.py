"""The callbacks of a task, called once the outcome is known. Their exceptions are logged and do not change the outcome."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from gnomon.errors.authoring import TaskDeferred

log = logging.getLogger("gnomon.task")

CALLBACK_ARGUMENTS = {
    "success": "on_success_callback",
    "failed": "on_failure_callback",
    "retry": "on_retry_callback",
    "skipped": "on_skipped_callback",
}
"""Outcome to the argument of the operator; "retry" is a failure with a try left."""


def run_callbacks(task: Any, argument: str, context: Any) -> None:
    """Call every callback of that argument of the operator; an exception is logged, and the next callback is called."""
    for callback in _list_callbacks(getattr(task, argument, None)):
        try:
            callback(context)
        except (Exception, TaskDeferred):
            log.exception("%s of task %s failed; the outcome stays", argument, task.task_id)


def log_unsent_mail(task: Any, outcome: str) -> None:
    """Log that mail is not sent, when the task has an address and asks for mail at this outcome."""
    wanted = {"failed": "email_on_failure", "retry": "email_on_retry"}.get(outcome)
    if wanted and getattr(task, "email", None) and getattr(task, wanted, False):
        log.info("%s is not sent in this version; use a callback or a notifier", wanted)


def _list_callbacks(value: Any) -> Iterable[Callable[[Any], object]]:
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)
