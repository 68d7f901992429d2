"""`airflow.secrets.environment_variables`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.connections.secrets_backends import EnvironmentVariablesBackend

__all__ = ["EnvironmentVariablesBackend"]
__getattr__ = make_getattr(__name__)
