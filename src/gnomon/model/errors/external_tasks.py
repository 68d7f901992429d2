"""What can be wrong with the runs of another DAG that a sensor waits for, under the names of the standard provider."""

from __future__ import annotations

from gnomon.model.errors.authoring import AirflowException


class AirflowExternalTaskSensorException(AirflowException):
    """Base class of these errors."""


class ExternalDagNotFoundError(AirflowExternalTaskSensorException):
    """The other DAG does not exist."""


class ExternalDagDeletedError(AirflowExternalTaskSensorException):
    """No file defines the other DAG any more."""


class ExternalTaskNotFoundError(AirflowExternalTaskSensorException):
    """The other DAG has no such task."""


class ExternalTaskGroupNotFoundError(AirflowExternalTaskSensorException):
    """The other DAG has no such task group."""


class ExternalTaskFailedError(AirflowExternalTaskSensorException):
    """A task of the other DAG has failed."""


class ExternalTaskGroupFailedError(AirflowExternalTaskSensorException):
    """A task group of the other DAG has failed."""


class ExternalDagFailedError(AirflowExternalTaskSensorException):
    """A run of the other DAG has failed."""


class DuplicateStateError(AirflowExternalTaskSensorException, ValueError):
    """A state is in more than one of allowed_states, skipped_states and failed_states."""
