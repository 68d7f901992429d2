"""`airflow.utils.operator_resources`: the names of `airflow.sdk.definitions.operator_resources`."""

from airflow.sdk.definitions.operator_resources import *
from airflow.sdk.definitions.operator_resources import __all__ as __all__

from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
