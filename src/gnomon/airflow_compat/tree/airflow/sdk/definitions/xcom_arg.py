"""`airflow.sdk.definitions.xcom_arg`."""

from gnomon.airflow_compat.missing_names import make_getattr
from gnomon.sdk import XComArg

__all__ = ["XComArg"]
__getattr__ = make_getattr(__name__)
