"""The errors of tasks that wait for a person."""

from __future__ import annotations

from gnomon.model.errors.authoring import AirflowException


class HITLTriggerEventError(Exception):
    """The wait for an answer ended with an error."""


class HITLTimeoutError(HITLTriggerEventError):
    """Nobody answered in time, and the question has no defaults."""


class HITLRejectException(AirflowException):
    """The answer is "Reject", and the task has `fail_on_reject`."""
