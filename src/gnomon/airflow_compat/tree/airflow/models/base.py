"""`airflow.models.base`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.authoring.sdk.arguments.converters import ID_MAX as ID_LEN

__all__ = ["ID_LEN"]
__getattr__ = make_getattr(__name__)
