"""`airflow.triggers.base`."""

from gnomon.airflow_compat.missing import missing
from gnomon.sdk.triggers import (
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
__getattr__ = missing(__name__)
