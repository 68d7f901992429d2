"""`airflow.sdk.definitions.deadline`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.runtime.callback_definitions import AsyncCallback, SyncCallback
from gnomon.authoring.sdk.schedules.deadlines import (
    AverageRuntimeDeadline,
    BaseDeadlineReference,
    DagRunLogicalDateDeadline,
    DagRunQueuedAtDeadline,
    DeadlineAlert,
    DeadlineReference,
    FixedDatetimeDeadline,
    VariableInterval,
    deadline_reference,
)

__all__ = [
    "AsyncCallback",
    "AverageRuntimeDeadline",
    "BaseDeadlineReference",
    "DagRunLogicalDateDeadline",
    "DagRunQueuedAtDeadline",
    "DeadlineAlert",
    "DeadlineReference",
    "FixedDatetimeDeadline",
    "SyncCallback",
    "VariableInterval",
    "deadline_reference",
]

__getattr__ = make_getattr(__name__)
