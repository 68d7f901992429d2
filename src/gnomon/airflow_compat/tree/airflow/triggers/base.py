"""`airflow.triggers.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.deferral.triggers import (
    BaseEventTrigger,
    BaseTaskEndEvent,
    BaseTrigger,
    StartTriggerArgs,
    TaskFailedEvent,
    TaskFailureEvent,
    TaskSkippedEvent,
    TaskSuccessEvent,
    TriggerEvent,
)

__all__ = [
    "BaseEventTrigger",
    "BaseTaskEndEvent",
    "BaseTrigger",
    "StartTriggerArgs",
    "TaskFailedEvent",
    "TaskFailureEvent",
    "TaskSkippedEvent",
    "TaskSuccessEvent",
    "TriggerEvent",
]
__getattr__ = make_getattr(__name__)
