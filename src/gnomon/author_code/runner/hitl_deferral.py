"""The wait for a person: from TaskAwaitingInput, or a deferral to a HITLTrigger, to a stored Deferral; and the event that resumes the task."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.arguments.timezone import to_pendulum
from gnomon.authoring.sdk.deferral.deferral_checks import check_next_method, encode_kwargs
from gnomon.authoring.sdk.runtime.human_input import make_hitl_request, take_hitl_request
from gnomon.model.deferral import Deferral
from gnomon.model.errors.authoring import DeferralRefused, TaskAwaitingInput, TaskDeferred
from gnomon.model.hitl import HITLRequest, HITLResponse
from gnomon.model.instants import to_instant

TIMEOUT_ERROR = "The timeout has passed, and the response has not yet been received."


def awaits_person(error: BaseException) -> bool:
    """Return whether the exception starts a wait for a person."""
    if isinstance(error, TaskAwaitingInput):
        return True
    return (
        isinstance(error, TaskDeferred)
        and getattr(error.trigger, "awaits_input", False)
        and not isinstance(error.trigger, type)
    )


def create_hitl_deferral(task: Any, error: Any, ti_id: str) -> Deferral:
    """The record of the wait for the store. Raises DeferralRefused, with a text for the author, when the task could not resume."""
    subject = f"Task {task.task_id!r} waits for a person"
    kwargs = error.kwargs or {}
    request = take_hitl_request(ti_id)
    due_at = due_in_s = None
    if isinstance(error, TaskAwaitingInput):
        due_in_s = None if error.timeout is None else error.timeout.total_seconds()
    else:
        trigger = error.trigger
        request = _merge_trigger(request, trigger, task.task_id)
        due_at = None if trigger.timeout_datetime is None else to_instant(trigger.timeout_datetime)
        if due_at is None and error.timeout is not None:
            due_in_s = error.timeout.total_seconds()
    if request is None:
        raise DeferralRefused(
            f"{subject} and asked no question: call upsert_hitl_detail(ti_id=context['ti'].id, ...) before."
        )
    check_next_method(task, error.method_name, kwargs, type(error).__name__)
    return Deferral(
        classpath=f"{type(error).__module__}.{type(error).__name__}",
        next_method=error.method_name,
        next_kwargs=encode_kwargs(kwargs, "the kwargs", subject),
        due_at=due_at,
        due_in_s=due_in_s,
        hitl=request,
    )


def make_hitl_event(response: HITLResponse) -> dict[str, Any]:
    """The event that the task resumes with."""
    if not response.chosen_options:
        return {"error": TIMEOUT_ERROR, "error_type": "timeout"}
    user = response.responded_by
    return {
        "chosen_options": list(response.chosen_options),
        "params_input": dict(response.params_input),
        "responded_at": to_pendulum(response.responded_at),
        "responded_by_user": None if user is None else {"id": user.id, "name": user.name},
        "timedout": user is None,
    }


def _merge_trigger(request: HITLRequest | None, trigger: Any, task_id: str) -> HITLRequest:
    """The question that was asked; without one, a question of the trigger's arguments."""
    if request is not None:
        return request
    return make_hitl_request(
        subject=f"Task {task_id} asks",
        options=trigger.options,
        body=None,
        defaults=trigger.defaults,
        multiple=trigger.multiple,
        params=trigger.params,
        assigned_users=(),
    )
