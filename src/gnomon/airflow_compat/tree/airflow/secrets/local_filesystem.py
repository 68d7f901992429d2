"""`airflow.secrets.local_filesystem`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.connections.secrets_backends import LocalFilesystemBackend

__all__ = ["LocalFilesystemBackend"]
__getattr__ = make_getattr(__name__)
