"""`airflow.models.abstractoperator`: the names of `airflow.sdk.definitions._internal.abstractoperator`, where Airflow 3 has them."""

from airflow.sdk.definitions._internal.abstractoperator import *
from airflow.sdk.definitions._internal.abstractoperator import __all__ as __all__

from gnomon.airflow_compat.missing_names import make_getattr

__getattr__ = make_getattr(__name__)
