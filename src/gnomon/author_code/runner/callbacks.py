"""The callbacks of a task, called once the outcome is known. Their exceptions are logged and do not change the outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from gnomon.author_code.processes import author_forks
from gnomon.author_code.processes.author_traceback import trim_error
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.model.errors.authoring import TaskDeferred

log = RunnerLog("gnomon.task")

CALLBACK_ARGUMENTS = {
    "success": "on_success_callback",
    "failed": "on_failure_callback",
    "retry": "on_retry_callback",
    "skipped": "on_skipped_callback",
}
"""Outcome to the argument of the operator; "retry" is a failure with a try left."""


def run_callbacks(task: Any, argument: str, context: Any) -> None:
    """Call every callback of that argument of the operator; an exception is logged, and the next callback is called."""
    for callback in list_callbacks(getattr(task, argument, None)):
        try:
            callback(context)
            author_forks.end_fork()
        except (Exception, TaskDeferred) as error:
            author_forks.end_fork(error)
            log.error("%s of task %s failed; the outcome stays", argument, task.task_id, exc_info=trim_error(error))


def send_mail(task: Any, outcome: str, context: Any) -> None:
    """Send the mail of a task with an address that asks for mail at this outcome; an exception is logged."""
    option = {"failed": "email_on_failure", "retry": "email_on_retry"}.get(outcome)
    if not option or not getattr(task, "email", None) or not getattr(task, option, False):
        return
    from gnomon.author_code.runner import task_mail  # start-up cost: few tasks send mail

    try:
        task_mail.send_task_mail(task, context)
        author_forks.end_fork()
    except Exception as error:
        author_forks.end_fork(error)
        log.exception("the mail of %s could not be sent to %s; the outcome stays", option, task.email)


def list_callbacks(value: Any) -> Iterable[Callable[[Any], object]]:
    """The callbacks of an argument: none, one, or a list of them."""
    if value is None:
        return ()
    return value if isinstance(value, list | tuple) else (value,)
