"""`airflow.providers.standard.exceptions`: one class says here that what a sensor waits for has failed, whatever it is."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.operators.external_task_states import (
    DuplicateStateError,
    ExternalTaskFailedError,
    ExternalTaskFailedError as ExternalDagFailedError,
    ExternalTaskFailedError as ExternalTaskGroupFailedError,
    ExternalTaskNotFoundError,
)

__all__ = [
    "DuplicateStateError",
    "ExternalDagFailedError",
    "ExternalTaskFailedError",
    "ExternalTaskGroupFailedError",
    "ExternalTaskNotFoundError",
]
__getattr__ = make_getattr(__name__)
