"""Errors of the installation: files, connections, Variables, secrets backends, providers, executors."""

from __future__ import annotations

from collections.abc import Sequence

from gnomon.model.errors.airflow_errors import AirflowException


class AirflowFileParseException(AirflowException):
    """A connections or variables file cannot be parsed."""

    def __init__(self, msg: str, file_path: str = "", parse_errors: Sequence[object] = ()) -> None:
        super().__init__(msg)
        self.file_path = file_path
        self.parse_errors = parse_errors


class AirflowUnsupportedFileTypeException(AirflowException):
    """The type of a connections or variables file is not supported."""


class ConnectionNotUnique(AirflowException):
    """Several connections have the same id."""


class VariableNotUnique(AirflowException):
    """Several variables have the same key."""


class AirflowSecretsBackendAccessDenied(AirflowException):
    """The secrets backend denied the access."""


class AirflowOptionalProviderFeatureException(AirflowException):
    """A feature needs a package that is not installed."""


class InvalidStatsNameException(AirflowException):
    """A metric's name has characters that are not allowed."""


class PodMutationHookException(AirflowException):
    """A pod policy of this installation failed."""


class PodReconciliationError(AirflowException):
    """Two descriptions of a pod cannot be merged."""


class UnknownExecutorException(ValueError):
    """There is no executor with that name."""
