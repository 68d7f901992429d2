"""`airflow.models.connection`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.connections.connection import ConnectionModel as Connection

__all__ = ["Connection"]
__getattr__ = make_getattr(__name__)
