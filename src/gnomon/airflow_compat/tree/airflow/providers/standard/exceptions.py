"""`airflow.providers.standard.exceptions`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.model.errors.authoring import AirflowException
from gnomon.model.errors.external_tasks import (
    AirflowExternalTaskSensorException,
    DuplicateStateError,
    ExternalDagDeletedError,
    ExternalDagFailedError,
    ExternalDagNotFoundError,
    ExternalTaskFailedError,
    ExternalTaskGroupFailedError,
    ExternalTaskGroupNotFoundError,
    ExternalTaskNotFoundError,
)
from gnomon.authoring.operators.hitl_errors import HITLRejectException, HITLTimeoutError, HITLTriggerEventError

__all__ = [
    "AirflowException",
    "AirflowExternalTaskSensorException",
    "DuplicateStateError",
    "ExternalDagDeletedError",
    "ExternalDagFailedError",
    "ExternalDagNotFoundError",
    "ExternalTaskFailedError",
    "ExternalTaskGroupFailedError",
    "ExternalTaskGroupNotFoundError",
    "ExternalTaskNotFoundError",
    "HITLRejectException",
    "HITLTimeoutError",
    "HITLTriggerEventError",
]
__getattr__ = make_getattr(__name__)
