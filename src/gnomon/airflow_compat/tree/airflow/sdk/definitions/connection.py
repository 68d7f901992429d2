"""`airflow.sdk.definitions.connection`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk import Connection

__all__ = ["Connection"]
__getattr__ = make_getattr(__name__)
