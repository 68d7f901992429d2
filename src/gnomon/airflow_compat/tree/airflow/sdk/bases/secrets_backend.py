"""`airflow.sdk.bases.secrets_backend`."""

from airflow.secrets.base_secrets import BaseSecretsBackend

from gnomon.airflow_compat.missing_names import make_getattr

__all__ = ["BaseSecretsBackend"]

__getattr__ = make_getattr(__name__)
