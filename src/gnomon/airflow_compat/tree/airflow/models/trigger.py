"""`airflow.models.trigger`."""

from enum import Enum

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["TRIGGER_FAIL_REPR", "TriggerFailureReason"]

TRIGGER_FAIL_REPR = "__fail__"


class TriggerFailureReason(str, Enum):
    """Why a deferral ended without an event: `next_kwargs["error"]` of `resume_execution`."""

    TRIGGER_TIMEOUT = "Trigger timeout"
    TRIGGER_FAILURE = "Trigger failure"


__getattr__ = make_getattr(__name__)
