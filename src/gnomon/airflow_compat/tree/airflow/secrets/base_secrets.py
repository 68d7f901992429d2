"""`airflow.secrets.base_secrets`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.connections.secrets_backends import BaseSecretsBackend

__all__ = ["BaseSecretsBackend"]
__getattr__ = make_getattr(__name__)
