"""`airflow.sdk.definitions.deadline`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk.schedules.deadlines import (
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
    "AverageRuntimeDeadline",
    "BaseDeadlineReference",
    "DagRunLogicalDateDeadline",
    "DagRunQueuedAtDeadline",
    "DeadlineAlert",
    "DeadlineReference",
    "FixedDatetimeDeadline",
    "VariableInterval",
    "deadline_reference",
]

__getattr__ = make_getattr(__name__)
